// Takes over signed statements of other stores: adds those that are new and sound. What a store knows is a set that only grows, so it does not matter in
// which order, how often or from whom it hears something.

import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { openCheckpoint } from '../ledger/notes.js';
import { rootAt } from '../ledger/stored-tree.js';
import { verifierOf } from '../ledger/tree.js';
import type { JsonObject } from '../proof/canonical-json.js';
import { originOf } from '../proof/checkpoint.js';
import { verifyVrf } from '../vrf/ecvrf.js';
import { hasForm, isDrawSound, isProposalSound, logIdOfKey } from './forms.js';
import { insertHeard, isHeard, logAt, type SeenCheckpoint } from './heard-repository.js';
import { CONSENSUS_LIMITS } from './limits.js';
import { drawInput } from './lots.js';
import type { RecordRoom } from './record-room.js';
import {
  addRound,
  isAboutAction,
  proposalIn,
  type RoundRow,
  roundById,
  rowOfProposal,
  votersOf,
} from './round-repository.js';
import { type ConsensusWork, setRound } from './settle.js';
import { keyIn, type SignedStatement } from './signed.js';
import { allVotesOn, insertVote, voteById } from './vote-repository.js';
import { isEnrolled, voterByName } from './voter-repository.js';

/** What became of a statement. */
export type Heard = 'new' | 'known' | 'refused' | 'left';

/** A round that votes are heard on: it is read once for all of them. */
interface HeardRound {
  readonly row: RoundRow;
  /** The names that have voted, and how many statements there are. */
  readonly names: Set<string>;
  count: number;
  /** Whether no vote on it was taken over yet. */
  isNew: boolean;
}

export interface HearingStore {
  readonly work: ConsensusWork;
  /** The id of the store that listens. */
  readonly store: string;
  readonly room: RecordRoom;
}

interface Hearing extends HearingStore {
  readonly rounds: Map<string, HeardRound | undefined>;
}

/** The keys that may sign for the home of a round. */
const keysOf = (row: RoundRow): readonly string[] => [keyIn(row.proposal), ...proposalIn(row).keys];

/** Whether the home of a round signed a statement about it. */
const isOfHome = (row: RoundRow, { key, body }: SignedStatement): boolean =>
  keysOf(row).includes(key) && body.root === row.root;

const bytes = (hex: unknown): Uint8Array => Uint8Array.from(Buffer.from(String(hex), 'hex'));

/** The checkpoint in a note that this key signed for its log. */
const signedCheckpoint = (note: unknown, log: unknown, key: string) => {
  if (logIdOfKey(key) !== log) return undefined;
  const opened = openCheckpoint(String(note), verifierOf(originOf(String(log)), Buffer.from(key, 'hex')));
  return 'refused' in opened ? undefined : opened.checkpoint;
};

/** Whether the output follows from a checkpoint that the log which the draw waited for signed. `keys`: those of the home. */
const isProved = ({ body }: SignedStatement, keys: readonly string[]): boolean => {
  const { round_id, root, checkpoint, output, proof, vrf_key, of, after } = body;
  const { log } = after as JsonObject;
  const seen = signedCheckpoint(checkpoint, log, keys.find((key) => logIdOfKey(key) === log) ?? '');
  if (seen === undefined) return false;
  const input = drawInput(String(of ?? round_id), String(root), seen.root);
  const proved = verifyVrf(bytes(vrf_key), new TextEncoder().encode(input), bytes(proof));
  return proved !== undefined && Buffer.from(proved).toString('hex') === output;
};

const hearRound = async ({ work, store, room }: Hearing, said: SignedStatement): Promise<Heard> => {
  const known = await roundById(work.tx, String(said.body.round_id));
  if (known !== undefined) return known.proposal === said.text ? 'known' : 'refused';
  // A round of this store that it does not know was never proposed here.
  if (said.body.store === store || !isProposalSound(said.body, said.key)) return 'refused';
  if (!room.takeStatement(undefined)) return 'left';
  work.add(await addRound(work.tx, rowOfProposal(said, work.place)));
  return 'new';
};

const hearDraw = async ({ work, store, room }: Hearing, said: SignedStatement): Promise<Heard> => {
  const row = await roundById(work.tx, String(said.body.round_id));
  if (row?.drawing === said.text) return 'known';
  const isSound = row !== undefined && row.drawing === null && row.home !== store && isOfHome(row, said);
  if (!isSound || !isDrawSound(said.body, proposalIn(row).rules)) return 'refused';
  // With `of` the log may be one that only the proposal of the earlier round names.
  const earlier = await roundById(work.tx, String(said.body.of ?? row.round_id));
  const keys = [row, ...(earlier?.home === row.home ? [earlier] : [])].flatMap(keysOf);
  if (!isProved(said, keys)) return 'refused';
  if (!room.takeRound()) return 'left';
  const voters = JSON.stringify(said.body.voters);
  await setRound(work, row, { drawing: said.text, voters, ...(row.state === 'drawing' && { state: 'open' }) });
  return 'new';
};

/** The round that a vote is about; undefined if it is not known. */
const roundOf = async ({ work, rounds }: Hearing, id: string): Promise<HeardRound | undefined> => {
  if (!rounds.has(id)) {
    const row = await roundById(work.tx, id);
    const votes = row === undefined ? [] : await allVotesOn(work.tx, id);
    const names = new Set(votes.map(({ voter }) => voter));
    rounds.set(id, row && { row, names, count: votes.length, isNew: true });
  }
  return rounds.get(id);
};

/** Whether a round takes no further vote of this name: it has as many as are kept, or as many names as can have voted. */
const isFullFor = ({ row, names, count }: HeardRound, voter: string): boolean =>
  count >= CONSENSUS_LIMITS.votesOfRound ||
  (votersOf(row)?.length === 0 && !names.has(voter) && names.size >= CONSENSUS_LIMITS.voters);

/** The names that may be credited when a round is decided, whether they have voted or not. */
const drawable = (row: RoundRow): readonly string[] => votersOf(row) ?? proposalIn(row).rules.draw?.from ?? [];

/** Takes room for a vote, and, with the first one on a round, for what may follow for the round. */
const takesVote = ({ room, store }: Hearing, round: HeardRound, voter: string): boolean => {
  const { row, names } = round;
  const credited = row.home === store && row.state !== 'decided' ? [...names, ...drawable(row)] : [];
  if (round.isNew && !room.takeRound([...new Set(credited)])) return false;
  round.isNew = false;
  return room.takeStatement(voter);
};

const hearVote = async (hearing: Hearing, said: SignedStatement): Promise<Heard> => {
  const { tx, place, add } = hearing.work;
  const [round, voter] = [await roundOf(hearing, String(said.body.round_id)), String(said.body.voter)];
  if (round === undefined || proposalIn(round.row).rule_version !== said.body.rule_version) return 'refused';
  if ((await voteById(tx, said.id)) !== undefined) return 'known';
  const enrolled = await voterByName(tx, voter);
  const identity = isEnrolled(enrolled) ? 'enrolled' : 'claimed';
  if (identity === 'enrolled' && enrolled?.public_key !== said.key) return 'refused';
  // A store that enrolled nobody passes such a vote on: whether it counts is for the home to say.
  if (identity === 'claimed' && isAboutAction(round.row) && round.row.home === hearing.store) return 'refused';
  if (isFullFor(round, voter)) return 'refused';
  if (!takesVote(hearing, round, voter)) return 'left';
  const { subject } = await insertVote(tx, place, said, { identity, instance: null, reason: null, reason_salt: null });
  add(subject);
  round.names.add(voter);
  round.count += 1;
  return 'new';
};

const hearDecision = async ({ work, store, room }: Hearing, said: SignedStatement): Promise<Heard> => {
  const { result, log, seq, tally } = said.body;
  const row = await roundById(work.tx, String(said.body.round_id));
  if (row?.decision === said.text) return 'known';
  if (row === undefined || row.decision !== null || row.home === store || !isOfHome(row, said)) return 'refused';
  // Who could have voted is not known before the draw was heard.
  if (votersOf(row) === undefined) return 'refused';
  if (Number((tally as JsonObject)[String(result)]) < row.need) return 'refused';
  if (!room.takeRound()) return 'left';
  await setRound(work, row, {
    ...{ state: 'decided', decision: said.text, result: result as RoundRow['result'] },
    ...{ decided_log: String(log), decided_seq: Number(seq) },
  });
  return 'new';
};

/** The checkpoint in a signed statement; undefined if its log did not sign the note. */
const checkpointIn = ({ body, key }: SignedStatement): SeenCheckpoint | undefined => {
  const { kind, log, size, root, note } = body;
  if (kind === 'cosigned') return { log: String(log), size: Number(size), root: String(root) };
  const seen = signedCheckpoint(note, log, key);
  return seen && { log: String(log), size: seen.size, root: seen.root };
};

const hearCheckpoint = async ({ work, room }: Hearing, said: SignedStatement): Promise<Heard> => {
  if (await isHeard(work.tx, said.id)) return 'known';
  const seen = checkpointIn(said);
  if (seen === undefined) return 'refused';
  if (!room.takeStatement(undefined)) return 'left';
  work.add(await insertHeard(work.tx, work.place, said, seen));
  return 'new';
};

type Hear = (hearing: Hearing, said: SignedStatement) => Promise<Heard>;

/** How statements of each kind are taken over, in the order in which the kinds are heard: a vote needs its round, a decision its voters. */
const HEARS: readonly (readonly [kind: string, hear: Hear])[] = [
  ['round', hearRound],
  ['draw', hearDraw],
  ['vote', hearVote],
  ['equivocation', hearVote],
  ['decided', hearDecision],
  ['checkpoint', hearCheckpoint],
  ['cosigned', hearCheckpoint],
];

export interface HeardCounts {
  readonly fresh: readonly SignedStatement[];
  readonly refused: number;
  /** How many were left for the next call, because the record of this one is full. */
  readonly left: number;
}

/** Takes over statements; returns those that were new, and how many were refused or left. */
export const hearAll = async (store: HearingStore, said: readonly SignedStatement[]): Promise<HeardCounts> => {
  const hearing: Hearing = { ...store, rounds: new Map() };
  const sound = said.filter(({ body }) => hasForm(body));
  const fresh: SignedStatement[] = [];
  const counts = { refused: said.length - sound.length, left: 0, known: 0 };
  for (const [kind, hear] of HEARS) {
    for (const one of sound.filter(({ body }) => body.kind === kind)) {
      // A vote that was left may be what a later statement needs.
      const heard = store.room.isFull ? 'left' : await hear(hearing, one);
      if (heard === 'new') fresh.push(one);
      else counts[heard] += 1;
    }
  }
  return { fresh, refused: counts.refused, left: counts.left };
};

/** The root of a log of this store when it had so many records; undefined if this store has no such log, or it is shorter. */
export const ownRootAt = async (work: ConsensusWork, log: string, size: number): Promise<string | undefined> => {
  const at = await logAt(work.tx, log);
  if (at === undefined || at.size < size) return undefined;
  return rootAt(work.tx, { log, base: at.no * RECORDS_PER_LOG }, size);
};
