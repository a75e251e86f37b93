// Approvals that several voters give together: each is asked for with a round whose statement is the call. Here rounds are opened, and read; votes
// come through the tools of consensus, in the voters' own processes.
import { type RoundGrounds, roundGrounds } from '../../consensus/grounds.js';
import { insertRound, proposalIn, roundById, votersOf } from '../../consensus/round-repository.js';
import { isEnrolled, voterByName } from '../../consensus/voter-repository.js';
import { readSize } from '../../ledger/head.js';
import type { ReadTx, Tx } from '../../store/store.js';
import type { QuorumValues } from '../config/keys.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import {
  type ApprovalBooks,
  type ApprovalRow,
  type AskedFor,
  changeApproval,
  insertApproval,
} from '../records/approval-repository.js';
import { shortened, type ToolPlace } from '../refusal.js';
import { argumentLines } from './question.js';

/** Which of the names nobody has enrolled. */
export const unenrolledOf = async (tx: ReadTx, names: readonly string[]): Promise<readonly string[]> => {
  const missing: string[] = [];
  for (const name of names) if (!isEnrolled(await voterByName(tx, name))) missing.push(name);
  return missing;
};

/** What voters read. Without `shown`, the arguments are left out: what was signed can never be taken out again. */
const statementOf = ({ server, tool }: ToolPlace, args: unknown, shown: boolean): string => {
  const head = `May ${tool} of ${server} be called once?`;
  const lines = shown ? argumentLines(args) : ['(arguments are not kept here; `colibri approvals` shows them)'];
  return shortened([head, ...lines].join('\n'), SWITCHBOARD_LIMITS.statementChars);
};

export interface QuorumCase {
  readonly place: ToolPlace;
  readonly args: unknown;
  readonly quorum: QuorumValues;
  /** The name of the client that asks: it has no vote. */
  readonly requester: string | null;
  /** Whether the statement shows the arguments. */
  readonly showsArguments: boolean;
}

/** Asks for an approval and opens its round, in one record. */
export const openRound = async (
  tx: Tx,
  { place, args, quorum, requester, showsArguments }: QuorumCase,
  asked: AskedFor,
  to: ApprovalBooks,
): Promise<ApprovalRow> => {
  const { exact, definition, instance, asker, expires_at } = asked;
  const { row, subject } = await insertRound(
    tx,
    { ...to, seq: await readSize(tx, to.log.id) },
    {
      statement: {
        statement: statementOf(place, args, showsArguments),
        action: { server: place.server, tool: place.tool, exact, definition },
      },
      ...{ voters: quorum.of, need: quorum.need, expires_at, requester, instance, asker },
    },
  );
  return insertApproval(tx, { ...asked, round: row.round_id }, to, [subject]);
};

/** What the round of an approval has come to; undefined if the approval is not for this quorum and this call. */
export const groundsFor = async (
  tx: ReadTx,
  { round, exact, server, tool, definition }: ApprovalRow,
  { of, need }: QuorumValues,
  { log }: ApprovalBooks,
): Promise<RoundGrounds | undefined> => {
  const row = round === null ? undefined : await roundById(tx, round);
  if (row === undefined) return undefined;
  const { statement, rules } = proposalIn(row);
  const { action } = statement;
  const isThis =
    action?.exact === exact &&
    action.server === server &&
    action.tool === tool &&
    action.definition === definition &&
    rules.need === need &&
    JSON.stringify(votersOf(row)) === JSON.stringify(of);
  return isThis ? roundGrounds(tx, row, log) : undefined;
};

/** The reason that a denial by votes has. */
const VOTED_NO = 'the voters said no';

/** An approval for a quorum as it is now, and what its round has come to. */
export interface QuorumStanding {
  readonly row: ApprovalRow;
  readonly grounds: RoundGrounds;
}

/** Grants or denies an approval that is asked for, if its round is decided. */
export const settleApproval = async (
  tx: Tx,
  { row, grounds }: QuorumStanding,
  to: ApprovalBooks,
): Promise<QuorumStanding> => {
  if (row.state !== 'asked' || (grounds.state !== 'approved' && grounds.state !== 'rejected')) return { row, grounds };
  const change =
    grounds.state === 'approved'
      ? ({ state: 'granted', answered_by: grounds.approvers.join(', '), reason: null } as const)
      : ({ state: 'denied', answered_by: null, reason: VOTED_NO } as const);
  const changed = await changeApproval(tx, row, { ...change, via: 'quorum', claimed: 0 }, to);
  return { row: changed?.row ?? row, grounds };
};
