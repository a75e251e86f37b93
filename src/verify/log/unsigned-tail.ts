// Judges the records after a log's newest signature. With the log's key, the MAC of the head shows whether these records were written
// with that key. Without the key nobody can tell: anyone who can write the file could have added them.
import { count } from '../../core/figures.js';
import { keyRing } from '../../ledger/keys.js';
import { ownLogWithKey } from '../../ledger/own-log.js';
import type { StoreReader } from '../reading.js';
import type { KeyPlace } from '../verdict/custody.js';
import type { Missing } from '../verdict/finding.js';
import { addFinding } from '../verdict/finding-list.js';
import type { UnsignedTail } from '../verdict/verdict.js';
import { livesIn } from './calls.js';
import { writersIn } from './ledger-repository.js';
import type { LogWalk } from './log-walk.js';

/** Whether a living Colibri process writes the log. */
export const isWritten = async (reader: StoreReader, path: string, log: string): Promise<boolean> => {
  for (const instance of reader.snapshot((tx) => writersIn(tx, log))) {
    if (await livesIn(reader, path, instance)) return true;
  }
  return false;
};

const isMigrated = ({ state }: LogWalk, walks: readonly LogWalk[]): boolean =>
  walks.some(({ history }) => history.listed.get(state.log) === state.size);

const MAC = /^[0-9a-f]{64}$/;

/**
 * Whether the head has the right MAC; null if that cannot be told, because the key is not here or the head is from before heads had MACs.
 */
const authenticity = (walk: LogWalk, walks: readonly LogWalk[], keys: KeyPlace | undefined): boolean | null => {
  const { log, size, frontier, headMac, closedAt } = walk.state;
  if (closedAt !== null) return headMac === null ? null : false;
  if (headMac === null) return size === 0 || isMigrated(walk, walks) ? null : false;
  if (!MAC.test(headMac)) return false;
  const key = keys && findKey(keys, log);
  return key === undefined ? null : ownLogWithKey(log, key).isOurs({ size, frontier }, headMac);
};

const findKey = (place: KeyPlace, log: string) => {
  try {
    return keyRing(place).find(log);
  } catch {
    return undefined; // unreadable for this user: the custody says so
  }
};

/** Checks the head's MAC of every log that was read to its end; a wrong MAC is a finding. */
export const unsignedTails = (walks: readonly LogWalk[], keys: KeyPlace | undefined): readonly UnsignedTail[] =>
  walks
    .filter(({ state, checkedTo }) => checkedTo === state.size)
    .map((walk) => {
      const { log, size } = walk.state;
      const authentic = authenticity(walk, walks, keys);
      if (authentic === false) {
        const message = "The head does not have the MAC of the log's key: somebody without the key wrote it.";
        addFinding(walk.found, 'authentic', { log, table: 'logs' }, message);
      }
      return { log, records: size - walk.signed, authentic };
    });

const FROM = 'written by a process that died, or by anyone who can write the file';

/**
 * The open logs with unsigned records at their end of which nobody can say who wrote them: the key is not here, and no living process
 * writes the log.
 */
export const doubtfulTails = async (
  tails: readonly UnsignedTail[],
  isOpen: (log: string) => boolean,
  isLive: (log: string) => Promise<boolean>,
): Promise<Missing[]> => {
  const doubtful: Missing[] = [];
  for (const { log, records, authentic } of tails) {
    if (records === 0 || authentic !== null || !isOpen(log) || (await isLive(log))) continue;
    const message = `Log ${log} has ${count(records, 'record')} after the newest signature: ${FROM}.`;
    doubtful.push({ kind: 'unsigned', count: records, message });
  }
  return doubtful;
};

const vouched = (authentic: boolean | null): string => {
  if (authentic === null) return 'the key is not here, so nobody can say who wrote them';
  return authentic ? "the MAC of the log's key is right" : "the MAC of the log's key is wrong";
};

export const tailRemarks = (tails: readonly UnsignedTail[], walks: readonly LogWalk[]): string[] =>
  tails
    .filter(({ records }) => records > 0)
    .map(({ log, records, authentic }) => {
      const takenOut = walks.find(({ state }) => state.log === log)?.takenOut ?? [];
      const named = takenOut.length === 0 ? '' : ` Among them contents are erased or pruned: ${takenOut.join(', ')}.`;
      return `Log ${log}: ${count(records, 'record')} after the newest signature; ${vouched(authentic)}.${named}`;
    });

export const adoptedRemarks = (walks: readonly LogWalk[]): string[] =>
  walks
    .filter(({ history }) => history.adopted > 0)
    .map(
      ({ state, history }) =>
        `Log ${state.log}: ${count(history.adopted, 'record')} from before format 5 had no signature when the log was migrated.`,
    );
