// What export.test.ts and export.deep.test.ts share: an export, read line by line.
import { expect } from 'vitest';
import { colibri, type Ran } from '../support/command-line.js';
import type { Message, Place } from '../support/serve.js';

export const linesOf = ({ stdout }: Pick<Ran, 'stdout'>): Message[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const exported = async (place: Place, ...args: string[]): Promise<Message[]> => {
  const ran = await colibri(place, ['export', ...args]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return linesOf(ran);
};

export const ofRow = (lines: readonly Message[], row: string): Message[] => lines.filter((line) => line.row === row);
