// The five stages and their order. A call passes all of them, whatever is wrong with it: a stage that finds a
// fault notes it on the call and goes on, so that every call leaves one pair of records.

import type { ColibriServerContext, NativeResult, ProxiedTool, Tool } from '../call/context.js';
import type { Peer, Retry } from '../call/peer.js';
import type { Cancellation } from '../core/cancellation.js';
import type { Intent } from '../ledger/call-ledger.js';
import type { ClientIdentity, Effect, HostIdentity, OutcomeNotes } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { auditEnter, auditExit } from './audit.js';
import { dispatch } from './dispatch.js';
import { type Fault, type Outcome, type Receipt, type Reply, replyTo } from './envelope.js';
import { type Ticket, toolLock } from './tool-lock.js';
import { validate } from './validate.js';

/**
 * One call on its way through the stages; each field is written by the stage named beside it. A class, so that all calls
 * have one shape from the beginning: every stage touches it.
 */
export class Call {
  readonly id: string;
  readonly name: string;
  readonly rawArgs: unknown;
  readonly client: ClientIdentity | null;
  readonly host: HostIdentity | undefined;
  readonly cancellation: Cancellation;
  /** What came with it, for servers that it is handed on to. */
  readonly meta: unknown;
  readonly onProgress: ((params: NativeResult) => void) | undefined;
  readonly peer: Peer | undefined;
  readonly retry: Retry | undefined;
  /** A check of our own: marked in its intent, and without a record it leaves nothing. */
  readonly check: true | undefined;

  /** tool-lock */
  ticket: Ticket | undefined = undefined;
  /** Set for a tool of another server; then `tool` never is. */
  proxied: ProxiedTool | undefined;
  /** validate */
  tool: Tool | undefined = undefined;
  args: unknown = undefined;
  effect: Effect | undefined = undefined;
  /** Why the handler must not run: validate, the gate or audit-enter. */
  fault: Fault | undefined = undefined;
  /** audit-enter */
  enteredMs = 0;
  intent: Intent | undefined = undefined;
  /** The call's number, once its intent is committed. */
  entry: Promise<number> | undefined = undefined;
  sequenceNo: number | undefined = undefined;
  /** dispatch */
  prepared: unknown = undefined;
  outcome: Outcome | undefined = undefined;
  notes: OutcomeNotes | undefined = undefined;
  follows: ((tx: Tx) => Promise<void>)[] = [];
  afterCommit: (() => void)[] = [];
  /** The transaction that handler and outcome share. */
  tx: Tx | undefined = undefined;
  /** audit-exit */
  receipt: Receipt | undefined = undefined;

  constructor(arrival: Arrival) {
    this.id = arrival.id;
    this.name = arrival.name;
    this.rawArgs = arrival.rawArgs;
    this.client = arrival.client;
    this.host = arrival.host;
    this.cancellation = arrival.cancellation;
    this.meta = arrival.meta;
    this.onProgress = arrival.onProgress;
    this.peer = arrival.peer;
    this.retry = arrival.retry;
    this.check = arrival.check;
    this.proxied = arrival.proxied;
  }
}

/** What a call comes with; who answers, where that is known already. */
export type Arrival = Pick<Call, 'id' | 'name' | 'rawArgs' | 'client' | 'host' | 'cancellation'> &
  Partial<Pick<Call, 'meta' | 'onProgress' | 'peer' | 'retry' | 'check' | 'proxied'>>;

export type Next = (call: Call) => Promise<Reply>;
export type Stage = (call: Call, next: Next) => Promise<Reply>;

const STAGES: readonly ((ctx: ColibriServerContext) => Stage)[] = [toolLock, validate, auditEnter, dispatch, auditExit];

/** Folds stages around `last`: the first in the list is the outermost. */
export const chain = (stages: readonly Stage[], last: Next): Next =>
  stages.reduceRight<Next>((next, stage) => (call) => stage(call, next), last);

export const fiveStages = (ctx: ColibriServerContext): ((arrival: Arrival) => Promise<Reply>) => {
  const run = chain(
    STAGES.map((stage) => stage(ctx)),
    (call) => Promise.resolve(replyTo(call)),
  );
  return (arrival) => run(new Call(arrival));
};
