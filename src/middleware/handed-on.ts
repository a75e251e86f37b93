// The outcome of a tool of Colibri that calls another server: Colibri's envelope first, then the server's content blocks. The digest
// covers the whole result, as for every call that goes to another server.
import type { NativeResult } from '../call/answer.js';
import { newSalt } from '../ledger/hashes.js';
import { canonicalJson } from '../proof/canonical-json.js';
import type { OutcomeKind } from '../proof/records.js';
import type { Call } from './chain.js';
import { type Envelope, nativeResult, type Outcome } from './envelope.js';

/** What a handler returns instead of its data if it called another server. */
export class HandedOn {
  readonly kind: OutcomeKind;
  readonly code: string | undefined;
  readonly envelope: Envelope;
  /** The content blocks of the other server's result. */
  readonly blocks: readonly unknown[];

  constructor(
    ending: Pick<Outcome, 'kind' | 'envelope'> & { readonly code?: string },
    blocks: readonly unknown[] = [],
  ) {
    this.kind = ending.kind;
    this.code = ending.code;
    this.envelope = ending.envelope;
    this.blocks = blocks;
  }
}

/** What a handler returns if the other server asked the client questions: the client must call again. */
export class InputNeeded {
  readonly result: NativeResult;

  constructor(result: NativeResult) {
    this.result = result;
  }
}

const wholeResult = (envelope: Envelope, blocks: readonly unknown[]) =>
  nativeResult({
    content: [{ type: 'text', text: canonicalJson(envelope) }, ...blocks],
    structuredContent: envelope,
    ...(!envelope.ok && { isError: true }),
  });

export const handedOn = ({ kind, code, envelope, blocks }: HandedOn): Outcome => ({
  kind,
  envelope,
  salt: newSalt(),
  ...(code !== undefined && { code }),
  ...(!envelope.ok && { error: new Error(envelope.error.message) }),
  ...wholeResult(envelope, blocks),
});

/** Makes every other outcome of a call that a tool of Colibri sends to another server such that its digest covers the whole result. */
export const asHandedOn = (call: Call, outcome: Outcome): Outcome =>
  call.tool !== undefined && call.effect === 'proxy' && outcome.native === undefined && outcome.kind !== 'cancelled'
    ? { ...outcome, ...wholeResult(outcome.envelope, []) }
    : outcome;
