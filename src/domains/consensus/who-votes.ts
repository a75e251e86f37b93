// Under which name a vote is cast, with which key it is signed, and whether it may be.
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import { askingProcess, isAboutAction, type RoundRow, votersOf } from '../../consensus/round-repository.js';
import { isLate } from '../../consensus/settle.js';
import type { StatementKey } from '../../consensus/signed.js';
import { isVoterOf } from '../../consensus/standing.js';
import type { VoteIdentity, VoteRow } from '../../consensus/vote-repository.js';
import { isEnrolled, voterByKey, voterByName } from '../../consensus/voter-repository.js';
import { hostOfNode } from '../../core/node-name.js';
import { UNSEEN } from '../../core/unseen.js';
import type { OwnLog } from '../../ledger/own-log.js';
import type { ReadTx } from '../../store/store.js';
import { badKey, type VoteRefusal, voteRefused } from './errors.js';
import type { ConsensusNeeds } from './needs.js';

const usable = (given: ReturnType<ConsensusNeeds['voterKey']>): StatementKey | undefined => {
  if (given !== undefined && 'problem' in given) throw badKey(given.problem);
  return given;
};

/** The name that votes: the one that was given, else that of the enrolled voter whose process this is, else the client's. */
export const nameOfVoter = async (
  tx: ReadTx,
  given: string | undefined,
  { voterKey, caller }: Pick<ConsensusNeeds, 'voterKey'> & { readonly caller: string | undefined },
): Promise<string | undefined> => {
  if (given !== undefined) return given;
  const key = usable(voterKey()); // a process that was given a key votes under no other name by mistake
  if (key === undefined) return caller;
  const enrolled = await voterByKey(tx, key.publicKey);
  return isEnrolled(enrolled) ? enrolled.name : caller;
};

export interface VotersKey {
  readonly key: StatementKey;
  readonly identity: VoteIdentity;
}

/** The key that a name's votes are signed with. Throws INVALID_KEY for an enrolled name whose key this process does not have. */
export const keyOfVoter = async (
  tx: ReadTx,
  voter: string,
  log: OwnLog,
  { voterKey }: Pick<ConsensusNeeds, 'voterKey'>,
): Promise<VotersKey> => {
  const enrolled = await voterByName(tx, voter);
  if (!isEnrolled(enrolled)) return { key: log, identity: 'claimed' };
  const key = usable(voterKey());
  if (key === undefined) throw badKey(`${voter} is an enrolled voter, and this process has no COLIBRI_VOTER_KEY`);
  if (key.publicKey !== enrolled.public_key) throw badKey(`the key of COLIBRI_VOTER_KEY is not that of ${voter}`);
  return { key, identity: 'enrolled' };
};

/** A vote that somebody wants to cast. */
export interface VoteAttempt {
  readonly row: RoundRow;
  readonly voter: string;
  readonly identity: VoteIdentity;
  readonly instance: string;
  readonly root: string;
  readonly now: string;
  readonly votes: readonly VoteRow[];
  /** The only names that count, where scores bind. */
  readonly heeded: ReadonlySet<string> | undefined;
}

const lateness = ({ row, now }: VoteAttempt): VoteRefusal | undefined => {
  if (row.state === 'decided') return 'decided';
  if (row.state === 'expired' || isLate(row, now)) return 'expired';
  return row.state === 'drawing' ? 'drawing' : undefined;
};

/** Whether as many names as can have voted in a round in which any name may. */
const isFull = ({ row, votes, voter }: VoteAttempt): boolean => {
  const names = new Set(votes.map((one) => one.voter));
  return votersOf(row)?.length === 0 && !names.has(voter) && names.size >= CONSENSUS_LIMITS.voters;
};

/** The processes above this one; with UNSEEN if the asking process runs on this machine, lives and cannot be seen. */
export const lineageFor = async (
  tx: ReadTx,
  row: RoundRow,
  log: OwnLog,
  { lineage, isHidden }: Pick<ConsensusNeeds, 'isHidden'> & { readonly lineage: readonly string[] },
): Promise<readonly string[]> => {
  if (!isAboutAction(row) || row.instance === null) return lineage;
  const asking = await askingProcess(tx, row.instance, log.id);
  const isHere = asking !== undefined && hostOfNode(asking.node) === hostOfNode(asking.own);
  return isHere && (await isHidden(row.instance, asking.pid)) ? [...lineage, UNSEEN] : lineage;
};

/** What a vote about a call needs besides: it opens a tool. */
const actionRefusal = (
  { row, identity, instance, votes, voter }: VoteAttempt,
  lineage: readonly string[],
): VoteRefusal | undefined => {
  if (!isAboutAction(row)) return undefined;
  if (identity !== 'enrolled') return 'not enrolled';
  const asker = row.asker === null ? [] : (JSON.parse(row.asker) as string[]);
  if (lineage.includes(UNSEEN) || asker.includes(UNSEEN)) return 'unseen';
  if (row.instance === instance || asker.some((process) => lineage.includes(process))) return 'asker';
  return votes.some((one) => one.instance === instance && one.voter !== voter) ? 'instance' : undefined;
};

/** Throws if this name may not vote in the round, whether it has voted or not. */
export const assertVoter = (attempt: VoteAttempt, lineage: readonly string[]): void => {
  const { row, voter } = attempt;
  const isListed = row.voters === null || isVoterOf(row, voter);
  const refusal =
    (voter === row.requester ? 'requester' : undefined) ??
    (isListed ? actionRefusal(attempt, lineage) : 'stranger') ??
    (row.state === 'expired' ? 'expired' : undefined);
  if (refusal !== undefined) throw voteRefused(row.round_id, refusal);
};

/** Throws if a first vote of this name comes too early or too late, or is about something else. */
export const assertTimely = (attempt: VoteAttempt): void => {
  const { row, voter, root, heeded } = attempt;
  const refusal =
    lateness(attempt) ??
    (root === row.root ? undefined : 'root') ??
    (heeded === undefined || heeded.has(voter) ? undefined : 'score') ??
    (isFull(attempt) ? 'full' : undefined);
  if (refusal !== undefined) throw voteRefused(row.round_id, refusal);
};
