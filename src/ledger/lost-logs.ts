// Finds the logs of a store that lack records which a signed head outside the store covers: then the store went back.
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { parsedObject } from '../proof/canonical-json.js';
import type { ReadTx } from '../store/store.js';
import { acceptedIn } from './binding.js';
import { readHead, rolledBack } from './head.js';
import { type Heads, lostHead, type SignedHead, signedSize } from './heads.js';
import type { KeyRing } from './keys.js';

/** The keys and heads of this user, which are outside the store. */
export interface Outside {
  readonly keys: KeyRing;
  readonly heads: Heads;
}

type LogRow = { readonly log_id: string; readonly node: string; readonly closed_at: string | null };

/** All logs, whichever node writes them, but those that came with an accepted copy: these go on elsewhere. */
const logsHere = async (tx: ReadTx, heads: Heads): Promise<readonly LogRow[]> => {
  const { copy: copied } = await acceptedIn(tx, heads);
  const all = await tx.all<LogRow>('SELECT log_id, node, closed_at FROM logs ORDER BY no');
  return all.filter(({ log_id }) => !copied.has(log_id));
};

const isOpen = ({ closed_at }: LogRow): boolean => closed_at === null;

/** The logs of all nodes that records may be appended to: open logs, except those that came with an accepted copy. */
export const openLogs = async (tx: ReadTx, heads: Heads): Promise<readonly LogRow[]> =>
  (await logsHere(tx, heads)).filter(isOpen);

/** For each log that was closed, the log that took over from it. */
const successorsIn = async (tx: ReadTx): Promise<ReadonlyMap<unknown, string>> => {
  const rows = await tx.all<{ log_id: string; body: string }>(
    `SELECT log_id, body FROM actions
      WHERE id IN (SELECT no * ${RECORDS_PER_LOG} FROM logs) AND kind IN ('succeeds', 'restore')`,
  );
  return new Map(rows.map(({ log_id, body }) => [parsedObject(body)?.previous, log_id]));
};

/** Whether a signed head of a log is kept outside the store, or the log's key is on this machine. Anybody who can write the store can add logs without either. */
const isVouchedFor = async (tx: ReadTx, { keys, heads }: Outside, log: string | undefined): Promise<boolean> =>
  log !== undefined && ((await signedSize(tx, heads, log)) > 0 || keys.find(log) !== undefined);

export interface LostLog {
  readonly log: string;
  readonly node: string;
  readonly size: number;
  readonly known: SignedHead;
  /** True if the log was closed by a log that nothing outside the store vouches for: then nobody can accept the loss. */
  readonly closed: boolean;
}

/**
 * The logs that lack records which a signed head covers. Logs of all nodes are checked, because a machine that was renamed still has its
 * heads. The end of a closed log was settled when its successor took over, unless somebody without a key wrote that successor.
 */
export const lostLogs = async (tx: ReadTx, outside: Outside): Promise<readonly LostLog[]> => {
  const { heads } = outside;
  const lost: LostLog[] = [];
  const successors = await successorsIn(tx);
  for (const row of await logsHere(tx, heads)) {
    const { log_id: log, node } = row;
    const closed = !isOpen(row);
    if (closed && (await isVouchedFor(tx, outside, successors.get(log)))) continue;
    const known = await lostHead(tx, heads, log);
    if (known !== undefined) lost.push({ log, node, size: (await readHead(tx, log)).size, known, closed });
  }
  return lost;
};

/** Throws if a known head is not a beginning of its log: then nothing may be appended to the store. */
export const assertNothingLost = async (tx: ReadTx, outside: Outside): Promise<void> => {
  const [first] = await lostLogs(tx, outside);
  if (first !== undefined) throw rolledBack(first.log, first.size, { size: first.known.size, what: 'signed records' });
};
