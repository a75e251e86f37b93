// The rows of rounds. A row is what this store knows of a round: the signed statements of its home, and what follows from them.
import { randomBytes } from 'node:crypto';
import { storeIdOf } from '../ledger/identity.js';
import type { Subject } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { CONSENSUS_LIMITS } from './limits.js';
import { insertInto, type NamingRecord, PLACE_COLUMNS, placeFor, subjectWith, valuesOf } from './rows.js';
import {
  CONSENSUS_FORMULA,
  type DrawRule,
  type RoundRules,
  type RoundStatement,
  roundIdOf,
  ruleVersionOf,
  statementRoot,
} from './rules.js';
import { bodyIn, type SignedStatement, signStatement } from './signed.js';
import type { RoundResult } from './tally.js';

export type RoundState = 'drawing' | 'open' | 'decided' | 'expired';

export type RoundRow = {
  readonly round_id: string;
  readonly home: string;
  readonly root: string;
  readonly proposal: string;
  readonly drawing: string | null;
  readonly decision: string | null;
  readonly state: RoundState;
  readonly result: RoundResult | null;
  readonly voters: string | null;
  readonly need: number;
  readonly expires_at: string;
  readonly requester: string | null;
  readonly instance: string | null;
  readonly asker: string | null;
  readonly contested: number;
  readonly decided_log: string | null;
  readonly decided_seq: number | null;
  readonly cosigned_by: string | null;
  readonly known_at: string;
  readonly rev: number;
  readonly salt: string;
  readonly log_id: string;
  readonly seq: number;
};

/** The columns that are in the digest of a row, besides its id. */
const ROUND_COLUMNS = [
  ...['home', 'root', 'proposal', 'drawing', 'decision', 'state', 'result', 'voters', 'need', 'expires_at'],
  ...['requester', 'instance', 'asker', 'contested', 'decided_log', 'decided_seq', 'cosigned_by', 'known_at'],
] as const satisfies readonly (keyof RoundRow)[];
const COLUMNS = ['round_id', ...ROUND_COLUMNS, ...PLACE_COLUMNS] as const;
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM rounds`;
const INSERT = insertInto('rounds', COLUMNS);
const CHANGED = [...ROUND_COLUMNS, ...PLACE_COLUMNS];
const CHANGE = `UPDATE rounds SET ${CHANGED.map((name) => `${name} = ?`).join(', ')} WHERE round_id = ? AND rev = ?`;

/** Waits until no other transaction looks at this round to change it: of two votes that reach `need`, one decides. */
export const lockRound = async (tx: Pick<Tx, 'lock'>, roundId: string): Promise<void> => tx.lock?.(`round ${roundId}`);

export const roundById = (tx: ReadTx, id: string): Promise<RoundRow | undefined> =>
  tx.get<RoundRow>(`${SELECT} WHERE round_id = ?`, id);

/** A process that asked for a round: its number, its node, and the node of a log that somebody else writes. */
export const askingProcess = (tx: ReadTx, instance: string, log: string) =>
  tx.get<{ pid: number; node: string; own: string }>(
    `SELECT i.pid, a.node, o.node AS own FROM instances i JOIN logs a ON a.log_id = i.log_id JOIN logs o ON o.log_id = ?
     WHERE i.instance = ?`,
    log,
    instance,
  );

/** The rounds about one statement, the newest first. */
export const roundsAbout = (tx: ReadTx, root: string): Promise<RoundRow[]> =>
  tx.all<RoundRow>(`${SELECT} WHERE root = ? ORDER BY known_at DESC, round_id`, root);

/** The rounds of which this store learned something at `since` or later, in that order. */
export const roundsSince = (tx: ReadTx, since: string): Promise<RoundRow[]> =>
  tx.all<RoundRow>(`${SELECT} WHERE known_at >= ? ORDER BY known_at, round_id`, since);

/** The rounds that a log decided with a record below `size`, and under whose decisions nobody else has signed yet. */
export const roundsToCosign = (tx: ReadTx, log: string, size: number): Promise<RoundRow[]> =>
  tx.all<RoundRow>(
    `${SELECT} WHERE decided_log = ? AND decided_seq < ? AND cosigned_by IS NULL ORDER BY round_id`,
    log,
    size,
  );

/** Where the newest decision of a log is; undefined if it decided nothing. */
export const newestDecisionIn = async (tx: ReadTx, log: string): Promise<number | undefined> =>
  (await tx.get<{ seq: number | null }>('SELECT MAX(decided_seq) AS seq FROM rounds WHERE decided_log = ?', log))
    ?.seq ?? undefined;

const subjectOfRound = (row: RoundRow): Subject => subjectWith('round', row.round_id, row, ROUND_COLUMNS);

export const addRound = async (tx: Tx, row: RoundRow): Promise<Subject> => {
  await tx.run(INSERT, ...valuesOf(row, COLUMNS));
  return subjectOfRound(row);
};

export type RoundChange = Partial<Omit<RoundRow, 'round_id' | 'home' | 'root' | 'proposal' | keyof NamingRecord>>;

/**
 * Changes a round: makes its next revision, or makes the revision of the same record once more, because a record names each row once. Throws if
 * somebody else changed the round since it was read.
 */
export const changeRound = async (
  tx: Tx,
  place: NamingRecord,
  before: RoundRow,
  change: RoundChange,
): Promise<{ readonly row: RoundRow; readonly subject: Subject }> => {
  const isSameRecord = before.log_id === place.log.id && before.seq === place.seq;
  const rev = before.rev + (isSameRecord ? 0 : 1);
  const row: RoundRow = { ...before, ...change, known_at: place.at, ...placeFor(place, rev) };
  if ((await tx.run(CHANGE, ...valuesOf(row, CHANGED), row.round_id, before.rev)) !== 1)
    throw new Error(`round ${row.round_id} was changed meanwhile`);
  return { row, subject: subjectOfRound(row) };
};

/** What somebody wants decided. */
export interface RoundWish {
  readonly statement: RoundStatement;
  /** The names that may vote; left out with `draw`, and where any name may vote. */
  readonly voters?: readonly string[] | undefined;
  readonly draw?: DrawRule | undefined;
  readonly need: number;
  readonly expires_at: string;
  readonly requester: string | null;
  readonly instance: string;
  /** The processes of the asking client, as JSON; null where they do not matter. */
  readonly asker: string | null;
}

/** The public keys of the store's newest logs: each of them may sign what the home of a round says. */
const homeKeys = async (tx: ReadTx): Promise<readonly string[]> =>
  (
    await tx.all<{ public_key: string }>(
      'SELECT public_key FROM logs ORDER BY no DESC LIMIT ?',
      CONSENSUS_LIMITS.namedLogs,
    )
  ).map(({ public_key }) => public_key);

const proposalOf = async (
  tx: Tx,
  { log, at }: NamingRecord,
  { statement, voters, draw, need, expires_at, requester }: RoundWish,
): Promise<SignedStatement> => {
  const [store, root, nonce] = [await storeIdOf(tx), statementRoot(statement), randomBytes(16).toString('hex')];
  const rules: RoundRules = {
    formula: CONSENSUS_FORMULA,
    voters: draw === undefined ? (voters ?? []) : null,
    draw: draw ?? null,
    need,
    expires_at,
  };
  const body = {
    ...{ v: 1, kind: 'round', round_id: roundIdOf(store, root, nonce), store, log: log.id, nonce, root, statement },
    ...{ rules, rule_version: ruleVersionOf(rules), requester, at, keys: await homeKeys(tx) },
  };
  return signStatement(body, log);
};

/** The row that a proposal makes, in its home or in a store that hears of it. */
export const rowOfProposal = (
  { body, text }: Pick<SignedStatement, 'body' | 'text'>,
  place: NamingRecord,
  own: Pick<RoundRow, 'instance' | 'asker'> = { instance: null, asker: null },
): RoundRow => {
  const { voters, need, expires_at } = body.rules as RoundRules;
  return {
    ...{ round_id: String(body.round_id), home: String(body.store), root: String(body.root), proposal: text },
    ...{ drawing: null, decision: null, state: voters === null ? 'drawing' : 'open', result: null },
    ...{ voters: voters === null ? null : JSON.stringify(voters), need, expires_at },
    requester: typeof body.requester === 'string' ? body.requester : null,
    ...own,
    ...{ contested: 0, decided_log: null, decided_seq: null, cosigned_by: null, known_at: place.at },
    ...placeFor(place, 1),
  };
};

/** Adds a round of this store. `place` is the record that will name `subject`. */
export const insertRound = async (
  tx: Tx,
  place: NamingRecord,
  wish: RoundWish,
): Promise<{ readonly row: RoundRow; readonly subject: Subject }> => {
  const { instance, asker } = wish;
  const row = rowOfProposal(await proposalOf(tx, place, wish), place, { instance, asker });
  return { row, subject: await addRound(tx, row) };
};

/** What the signed proposal of a round says. */
export interface RoundProposal {
  readonly log: string;
  readonly statement: RoundStatement;
  readonly rules: RoundRules;
  readonly rule_version: string;
  readonly keys: readonly string[];
  readonly at: string;
}

export const proposalIn = ({ proposal }: Pick<RoundRow, 'proposal'>): RoundProposal =>
  bodyIn(proposal) as unknown as RoundProposal;

/** The names that may vote; undefined while they are not drawn; empty if any name may. */
export const votersOf = ({ voters }: Pick<RoundRow, 'voters'>): readonly string[] | undefined =>
  voters === null ? undefined : (JSON.parse(voters) as string[]);

/** Whether only enrolled voters may vote: what they decide opens a tool. */
export const isAboutAction = (row: Pick<RoundRow, 'proposal'>): boolean =>
  proposalIn(row).statement.action !== undefined;
