// Checks the signature of each known head (signed note) with the public key of the log that the head names.
import { originOf } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';
import type { LogState } from '../overview.js';
import { addFinding, type Found, nothingFound } from '../verdict/finding-list.js';
import { type Claim, claimIn, plainDigest, verifierOfLog } from './checkpoint-check.js';
import type { KnownNote } from './heads.js';

export interface StoredHead extends Claim {
  readonly from: string;
  /** The SHA-256 of the note, whose signature is valid; absent if others have signed it too, which checkpoints in the store do not have. */
  readonly digest?: string | undefined;
  /** True if a person brought the head. Nothing that a store says about itself excuses such a head. */
  readonly isGiven: boolean;
}

/** A log and the public key that its heads are checked with. */
export type KnownKey = Pick<LogState, 'log' | 'publicKey'>;

/** A head whose signature is valid, and its log. */
export interface OpenedNote {
  readonly log: string;
  readonly head: StoredHead;
}

const logOf = ({ note, named }: KnownNote, logs: readonly KnownKey[]): KnownKey | undefined => {
  const origin = note.slice(0, note.indexOf('\n'));
  return logs.find(({ log }) => (named === undefined ? originOf(log) === origin : log === named.log));
};

interface Opening {
  readonly logs: readonly KnownKey[];
  /** The verifier of each log that a note has named. */
  readonly verifiers: Map<KnownKey, Verifier>;
  readonly found: Found;
}

const verifierFor = ({ verifiers }: Opening, state: KnownKey): Verifier => {
  const verifier = verifiers.get(state) ?? verifierOfLog(state.log, state.publicKey);
  verifiers.set(state, verifier);
  return verifier;
};

/** Checks a signed note from the heads folder or from the user; an invalid note becomes a finding. */
const openNote = (known: KnownNote, opening: Opening): OpenedNote | undefined => {
  const { note, from, named, isGiven = false } = known;
  const { logs, found } = opening;
  const state = logOf(known, logs);
  const where = state === undefined ? {} : { log: state.log };
  const refuse = (why: string): undefined => {
    addFinding(found, 'head', where, `${from} ${why}.`);
  };
  if (state === undefined) return refuse('does not belong to a log of this store');
  const opened = claimIn(note, verifierFor(opening, state), true);
  if ('refused' in opened) return refuse(`is ${opened.refused}`);
  if (named !== undefined && named.size !== opened.claim.size)
    return refuse('does not have the size that its name says');
  return { log: state.log, head: { ...opened.claim, from, isGiven, digest: plainDigest(note) } };
};

export interface NotesJob {
  readonly notes: readonly KnownNote[];
  readonly logs: readonly KnownKey[];
}

export const openNotes = ({ notes, logs }: NotesJob): { readonly found: Found; readonly heads: OpenedNote[] } => {
  const found = nothingFound();
  const opening: Opening = { logs, verifiers: new Map(), found };
  const heads = notes.map((note) => openNote(note, opening)).filter((opened) => opened !== undefined);
  return { found, heads };
};
