// The outcome of a tool of Colibri that calls another server: Colibri's envelope first, then the server's content blocks. The digest
// covers the whole result, as for every call that goes to another server.
import type { NativeResult, Unserved } from '../call/answer.js';
import { newSalt } from '../ledger/hashes.js';
import { canonicalJson } from '../proof/canonical-json.js';
import { isRefusal } from '../proof/result-text.js';
import type { Call } from './chain.js';
import { type Envelope, nativeResult, type Outcome } from './envelope.js';

/** What a handler returns instead of its data if it called another server. */
export class HandedOn {
  readonly ending: Pick<Outcome, 'kind' | 'envelope' | 'code' | 'last'>;
  /** The content blocks of the other server's result. */
  readonly blocks: readonly unknown[];
  /** Whether the other server's result has `isError: true`; then the result of Colibri's tool has it too. */
  readonly isError: boolean;
  /** What other providers of the route had answered. */
  unserved: readonly Unserved[] | undefined;

  constructor(ending: HandedOn['ending'], blocks: readonly unknown[] = [], isError = false) {
    this.ending = ending;
    this.blocks = blocks;
    this.isError = isError;
  }
}

/** What a handler returns if the other server asked the client questions: the client must call again. */
export class InputNeeded {
  readonly result: NativeResult;
  unserved: readonly Unserved[] | undefined;

  constructor(result: NativeResult) {
    this.result = result;
  }
}

const wholeResult = (envelope: Envelope, blocks: readonly unknown[], isError = false) =>
  nativeResult({
    content: [{ type: 'text', text: canonicalJson(envelope) }, ...blocks],
    structuredContent: envelope,
    ...((isError || isRefusal(envelope)) && { isError: true }),
  });

export const handedOn = ({ ending, blocks, isError, unserved }: HandedOn): Outcome => ({
  ...ending,
  unserved,
  salt: newSalt(),
  ...(!ending.envelope.ok && { error: new Error(ending.envelope.error.message) }),
  ...wholeResult(ending.envelope, blocks, isError),
});

/**
 * For a tool of Colibri that calls another server: if the call ended without the server's content blocks, the digest covers the whole
 * result all the same.
 */
export const asHandedOn = (call: Call, outcome: Outcome): Outcome =>
  call.tool !== undefined && call.effect === 'proxy' && outcome.native === undefined && outcome.kind !== 'cancelled'
    ? { ...outcome, ...wholeResult(outcome.envelope, []) }
    : outcome;
