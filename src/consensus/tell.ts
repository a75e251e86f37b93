// What this store tells others: everything it knows, checkpoints of its own that cover its decisions, and signatures under checkpoints of others.
import { verifierOf } from '../ledger/tree.js';
import { originOf, writeCheckpoint } from '../proof/checkpoint.js';
import { writeNote } from '../proof/note.js';
import type { ReadTx } from '../store/store.js';
import { BundleSpace } from './bundle.js';
import { ownRootAt } from './hear.js';
import {
  type HeardRow,
  heardCheckpoints,
  heardOf,
  heardSince,
  insertHeard,
  isHeard,
  newestCheckpointOf,
  type SeenCheckpoint,
} from './heard-repository.js';
import type { RecordRoom } from './record-room.js';
import { newestDecisionIn, type RoundRow, roundById, roundsSince } from './round-repository.js';
import type { ConsensusWork } from './settle.js';
import { type StatementKey, signStatement } from './signed.js';
import { votesSince } from './vote-repository.js';

const told = ({ proposal, drawing, decision }: RoundRow): readonly (string | null)[] => [proposal, drawing, decision];

interface TellItem {
  readonly at: string;
  readonly texts: readonly (string | null)[];
}

/** Everything that this store learned since a time, in the order in which it learned it. A vote comes with its round. */
const itemsSince = async (tx: ReadTx, since: string): Promise<readonly TellItem[]> => {
  const items: TellItem[] = (await roundsSince(tx, since)).map((row) => ({ at: row.known_at, texts: told(row) }));
  const rounds = new Map<string, RoundRow | undefined>();
  for (const { round_id, known_at, statement } of await votesSince(tx, since)) {
    if (!rounds.has(round_id)) rounds.set(round_id, await roundById(tx, round_id));
    const row = rounds.get(round_id);
    if (row !== undefined) items.push({ at: known_at, texts: [...told(row), statement] });
  }
  for (const { known_at, statement } of await heardSince(tx, since)) items.push({ at: known_at, texts: [statement] });
  return items.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
};

export interface ToldStatements {
  readonly texts: readonly string[];
  /** Where the next bundle begins; null if everything fitted. */
  readonly next: string | null;
}

export const statementsSince = async (tx: ReadTx, since: string): Promise<ToldStatements> => {
  const space = new BundleSpace();
  for (const { at, texts } of await itemsSince(tx, since))
    if (!space.add(texts)) return { texts: space.texts, next: at };
  return { texts: space.texts, next: null };
};

/** Makes a checkpoint of this process's log known to other stores. */
const publish = async ({ tx, place, add }: ConsensusWork, note: string, of: SeenCheckpoint): Promise<void> => {
  const said = signStatement({ v: 1, kind: 'checkpoint', log: of.log, note }, place.log);
  if (!(await isHeard(tx, said.id))) add(await insertHeard(tx, place, said, of));
};

/** Publishes the newest checkpoint of this process's log, if it covers a decision that no published one covers. */
export const publishCheckpoint = async (work: ConsensusWork): Promise<void> => {
  const { tx, place } = work;
  const { id } = place.log;
  const decided = await newestDecisionIn(tx, id);
  if (decided === undefined || (await heardOf(tx, 'checkpoint', id, decided)).length > 0) return;
  const newest = await newestCheckpointOf(tx, id);
  const root = newest && (await ownRootAt(work, id, newest.size));
  if (newest === undefined || root === undefined || newest.size <= decided) return;
  await publish(work, newest.note, { log: id, size: newest.size, root });
};

/**
 * Where others have heard another history of this process's log: signs what this one was at that size. Two checkpoints of one size with different
 * roots show everybody that the log was forked.
 */
export const contradictForks = async (work: ConsensusWork): Promise<void> => {
  const { log } = work.place;
  for (const { size, root: said } of await heardOf(work.tx, 'checkpoint', log.id, -1)) {
    const root = await ownRootAt(work, log.id, size);
    if (root === undefined || root === said) continue;
    const origin = originOf(log.id);
    const text = writeCheckpoint({ origin, size, root });
    const note = writeNote(text, verifierOf(origin, Buffer.from(log.publicKey, 'hex')), log.sign(text));
    await publish(work, note, { log: log.id, size, root });
  }
};

/** Signs, as the voter whose key this process has, the newest checkpoint of each log of others that it has heard of. */
export const cosignOthers = async (
  work: ConsensusWork,
  room: RecordRoom,
  key: StatementKey,
  voter: string | null,
): Promise<void> => {
  const { tx, place, add } = work;
  const newest = new Map<string, HeardRow>();
  for (const row of await heardCheckpoints(tx)) if (row.log !== place.log.id) newest.set(row.log, row);
  for (const { log, size, root } of newest.values()) {
    const said = signStatement({ v: 1, kind: 'cosigned', log, size, root, voter }, key);
    if (await isHeard(tx, said.id)) continue;
    if (!room.takeStatement(undefined)) return;
    add(await insertHeard(tx, place, said, { log, size, root }));
  }
};
