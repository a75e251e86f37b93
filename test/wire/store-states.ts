// What tests of starting and ending share: a store that was used, a store that somebody locks, and tools that answer anyway.
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { receiptOf } from '../support/ledger-check.js';
import { type Message, type Peer, type Place, session } from '../support/serve.js';

/** CORE_LIMITS.vitalPatienceMs, and what a busy machine may add. */
const PATIENCE_MS = 250 + 1_250;

/** A store that was used once and is closed. */
export const usedStore = (place: Place) => session(place, (peer) => peer.call('server_ping', { first: true }));

/** Holds the write lock, as another program would. */
export const lockStore = (place: Place): (() => void) => {
  const db = new Database(place.db, { timeout: 0 });
  db.exec('BEGIN EXCLUSIVE');
  const unlock = () => void db.close();
  place.onEnd(unlock);
  return unlock;
};

export const dataOf = (answer: Message): Message => answer.result.structuredContent.data;

export const answersVitals = async (peer: Peer, phase: 'phase1' | 'phase2'): Promise<void> => {
  for (const tool of ['server_ping', 'server_health']) {
    const began = performance.now();
    const answer = await peer.call(tool, {});
    expect(performance.now() - began, tool).toBeLessThan(PATIENCE_MS);
    expect(answer.result.structuredContent.ok).toBe(true);
    expect(receiptOf(answer)).toBeUndefined();
  }
  expect(dataOf(await peer.call('server_health', {})).phase).toBe(phase);
};
