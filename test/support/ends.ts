// What several tests of one file share, and that ends when all of them have ended.
import { afterAll } from 'vitest';
import { freshPlace, type Place } from './serve.js';

export interface Ending {
  /** A place that lasts as long as the tests do. */
  place(): Place;
  /** Runs when all tests have ended, the last added first. */
  add(end: () => Promise<void>): void;
}

export const placeForAll = (): Ending => {
  const endings: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });
  const add = (end: () => Promise<void>): void => void endings.push(end);
  return { place: () => freshPlace(add), add };
};
