// Checks that each record was written by a process that had begun in its log, that no process accepted a call after its end, and that no
// call id is used twice. Compares the entries that log/presence.ts made from all records.

import { inOrder } from '../core/in-order.js';
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import type { Executor } from './executor.js';
import type { LogWalk } from './log/log-walk.js';
import { KEY_BYTES, PRESENCE, PRESENCE_BYTES, type Seen, seenIn } from './log/presence.js';
import type { ScratchFile } from './scratch.js';
import { addFinding, addFound, type Found, nothingFound } from './verdict/finding-list.js';

/** A log: its number in the store, its id, and whether its first records were not read because a head that the user trusts covers them. */
export interface PresenceLog {
  readonly no: number;
  readonly log: string;
  readonly isCut: boolean;
}

type Say = (seen: Seen, place: number, message: string) => void;

const checkProcess = (all: readonly Seen[], isCut: boolean, say: Say): void => {
  const of = (...types: readonly number[]): readonly Seen[] =>
    all.filter(({ type }) => types.includes(type)).toSorted((a, b) => a.first - b.first);
  const [began, ...again] = of(PRESENCE.began);
  const [ended, ...endedAgain] = of(PRESENCE.ended);
  for (const seen of again) say(seen, seen.first, 'The process had begun before this record.');
  for (const seen of endedAgain) say(seen, seen.first, 'The process had ended before this record.');
  const [wrote] = of(PRESENCE.ended, PRESENCE.called, PRESENCE.wrote);
  if (wrote !== undefined && wrote.first < (began?.first ?? (isCut ? 0 : Number.POSITIVE_INFINITY)))
    say(wrote, wrote.first, 'The process that wrote the record had not begun in this log.');
  const late = of(PRESENCE.called).find(({ last }) => ended !== undefined && last > ended.first);
  if (late !== undefined) say(late, late.last, 'The process had ended before this call.');
};

const checkCalls = (all: readonly Seen[], say: Say): void => {
  const calls = all.filter(({ type }) => type === PRESENCE.call).toSorted((a, b) => a.no - b.no || a.first - b.first);
  for (const seen of calls.slice(1)) say(seen, seen.first, 'The id of the call belongs to an earlier call.');
};

/**
 * Groups the entries about processes and calls in a batch by key. An entry of a call whose id is not used again, as nearly all are, is left
 * out.
 */
const groupsOf = (batch: Buffer): Iterable<readonly Seen[]> => {
  const firsts = new Map<string, number>();
  const groups = new Map<string, Seen[]>();
  for (let at = 0; at < batch.length; at += PRESENCE_BYTES) {
    const key = batch.toString('latin1', at, at + KEY_BYTES);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, at);
    const isPlain = first === undefined && batch.readUInt32LE(at + KEY_BYTES) === PRESENCE.call;
    if (isPlain) continue;
    const group = groups.get(key) ?? (first === undefined ? [] : [seenIn(batch, first + KEY_BYTES)]);
    group.push(seenIn(batch, at + KEY_BYTES));
    groups.set(key, group);
  }
  return groups.values();
};

/** Checks a batch of entries, which say what records tell about processes and calls. The batch must hold all entries of each key in it. */
export const checkPresences = (batch: Uint8Array, logs: readonly PresenceLog[]): Found => {
  const found = nothingFound();
  const names = new Map(logs.map((log) => [log.no, log]));
  const say: Say = ({ no }, seq, message) => addFinding(found, 'call', { log: names.get(no)?.log ?? '', seq }, message);
  for (const all of groupsOf(Buffer.from(batch.buffer, batch.byteOffset, batch.length))) {
    checkProcess(all, names.get(all[0]?.no ?? 0)?.isCut === true, say);
    checkCalls(all, say);
  }
  return found;
};

/** Checks all entries about processes and calls in the scratch file. To be called when all records were read. */
export const followPresences = async (
  executor: Executor,
  walks: readonly LogWalk[],
  scratch: ScratchFile,
  found: Found,
): Promise<void> => {
  const logs = walks.map(({ state: { base, log }, trusted }) => ({
    no: base / RECORDS_PER_LOG,
    log,
    isCut: trusted > 0,
  }));
  const check = (batch: Uint8Array): Promise<Found> => executor.run('presences', { batch, logs });
  await inOrder(scratch.batches(), executor.width, check, (more) => addFound(found, more));
};
