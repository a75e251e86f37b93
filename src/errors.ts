// Every error code that a caller can see, in one table. docs/errors.md lists the same codes; a test keeps the two equal.
// Callers should decide on codes, never on message text.

export type RetryAdvice = 'no' | 'later' | 'after a change';

interface ErrorRow {
  readonly meaning: string;
  /** Who reads the error: the calling agent, or the person who started the process. */
  readonly seenBy: 'agent' | 'person';
  readonly retry: RetryAdvice;
}

const row =
  (retry: RetryAdvice) =>
  (meaning: string): ErrorRow => ({ meaning, seenBy: 'agent', retry });
const never = row('no');
const later = row('later');
const afterChange = row('after a change');

export const ERRORS = {
  // Errors that the caller made.
  INVALID_PARAMS: afterChange('The arguments do not fit the tool.'),
  TOOL_NOT_FOUND: afterChange('There is no tool with the name that was called.'),
  TOOL_NOT_ADMITTED: never('The tool exists but this mode does not admit it.'),

  // Failures of the tool itself.
  HANDLER_ERROR: never('The tool failed; what it had written to the store was rolled back.'),

  // Refusals by the tools for tasks.
  ERR_NOT_FOUND: afterChange(
    'A task that the caller named does not exist, or the session has no thought with the id that the caller gave.',
  ),
  ERR_AMBIGUOUS_PROJECT: afterChange('Several projects have the name that the caller gave; their ids tell them apart.'),
  ERR_IDEMPOTENCY_MISMATCH: afterChange('The idempotency key was used for a request with other arguments.'),
  ERR_INVALID_TRANSITION: afterChange('The task cannot go from its state to the state that the caller named.'),
  ERR_WRITEBACK_REQUIRED: afterChange(
    'A task may go to DONE only if a thought was recorded for it in its current attempt.',
  ),
  ERR_BLOCKED: later('A task may go to APPLY only when every task that it depends on is DONE.'),
  ERR_DEPENDENCY_CYCLE: afterChange('Through its dependencies the task would wait for itself.'),
  ERR_DEPENDENCY_CANCELLED: afterChange('A task that shall be waited for is CANCELLED, so it will never be DONE.'),
  ERR_VERSION_CONFLICT: afterChange('The task has changed since the version that the caller named.'),
  ERR_LEASE_LOST: later(
    'The lease of this token is over: somebody else took the task, it was given back, or the task was changed since.',
  ),
  ERR_LEASE_REQUIRED: afterChange("Somebody holds a lease on the task, and the change needs the lease's token."),
  ERR_LEASED: later('Somebody else works on the task that the caller wants to claim.'),
  ERR_ASSIGNED: afterChange('The task that the caller wants to claim is assigned to somebody else.'),
  ERR_TOO_MANY_TASKS: later(
    'The claimer holds as many tasks as its score permits, and the project says that scores bind (`COLIBRI_GATES`).',
  ),
  ERR_READ_ONLY: never('No task can be claimed and no proof file written in READONLY mode.'),

  // Refusals by the tools for sessions and proofs.
  ERR_SESSION_EXISTS: afterChange('There already is a session with the name that the caller gave.'),
  ERR_SESSION_NOT_FOUND: afterChange('The session that the caller named does not exist.'),
  ERR_ALREADY_FINALIZED: never('The session was finalized before.'),
  ERR_NO_RECORDS: afterChange('The session has no thoughts to seal.'),
  ERR_NOT_FINALIZED: later('The session is still open and has no Merkle root yet.'),
  ERR_PROOF_NOT_WRITTEN: afterChange('The proof file could not be written where it belongs.'),

  // Refusals by the tools for thoughts. The code is at the start of the message of HANDLER_ERROR.
  SESSION_NOT_FOUND: afterChange('The session that the caller named does not exist.'),
  SESSION_FINALIZED: afterChange('The session was finalized and takes no more thoughts.'),
  SKILL_NOT_FOUND: afterChange('There is no skill with the name that the caller gave.'),
  TASK_NOT_FOUND: afterChange('The task that the caller named does not exist.'),
  THOUGHT_NOT_FOUND: afterChange('The thought that the caller named does not exist.'),
  IDEMPOTENCY_MISMATCH: afterChange('The idempotency key was used in this session for a thought with other arguments.'),

  // Refusals by the tools for rounds. The code is at the start of the message of HANDLER_ERROR.
  ROUND_NOT_FOUND: afterChange('The round that the caller named does not exist.'),
  ALREADY_VOTED: never('The same name has cast the same vote in the round before.'),
  INVALID_KEY: afterChange('The key that the vote must be signed with is not there, or is not that of the voter.'),
  VOTE_REFUSED: never('Who asked, a stranger, or somebody who comes too late has no vote in the round.'),
  DRAWN_ALREADY: afterChange('An earlier round about the same statement drew its voters from another pool.'),
  INVALID_BUNDLE: afterChange('The bundle is not one, or is not signed by who made it.'),

  // The stages.
  AUDIT_ENTER_FAILED: later('The intent could not be recorded, so the tool did not run.'),
  AUDIT_EXIT_FAILED: later('The outcome could not be recorded, so the write was rolled back.'),

  // Other servers, behind the switchboard.
  TOOL_UNAVAILABLE: later('The server behind the tool may not get calls now; nothing was sent.'),
  TOOL_CHANGED: afterChange(
    'The tool is not what a person approved; nothing was sent. A person may approve the change.',
  ),
  APPROVAL_REQUIRED: afterChange('A person must allow this call first; nothing was sent.'),
  APPROVAL_DENIED: never('A person denied this call; nothing was sent.'),
  TOOL_BUSY: later('Too many calls wait for the server behind the tool; nothing was sent.'),
  TOOL_TIMEOUT: later('A tool of another server that changes nothing gave no answer.'),
  OUTCOME_UNKNOWN: never('A tool of another server was called and gave no answer: it may have done its work.'),
  FALLBACK_CHAIN_EXHAUSTED: later(
    'No provider of the route served the call; whatever was sent went to tools that change nothing.',
  ),

  // The store.
  STORE_UNAVAILABLE: later('The store could not be opened or used.'),
  STORE_BUSY: later('Another process held the store for too long.'),
  STORE_FULL: later('The disk is full; the write was rolled back.'),
  STORE_READ_ONLY: never('The store is open for reading only.'),
  STORE_CORRUPT: never('The store is damaged or contradicts itself.'),
  STORE_ROLLED_BACK: afterChange(
    'The store lacks records that were signed: a backup, a copy or a snapshot was put in its place.',
  ),
  STORE_UPGRADED: never('A newer Colibri has upgraded the store; this process must not write to it.'),

  // Starting.
  CONFIG_INVALID: { ...afterChange('A setting has a value that is not allowed.'), seenBy: 'person' },
  STARTUP_TIMEOUT: { ...later('The transport did not start in time (exit code 75).'), seenBy: 'person' },
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorExtra {
  /** What the caller can do about the error, in one sentence. */
  readonly remedy?: string | undefined;
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/** An error with a code of the table ERRORS. Errors of libraries are converted to it where they enter Colibri's code. */
export class ColibriError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, extra: ErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.name = 'ColibriError';
    this.code = code;
    this.remedy = extra.remedy;
    this.retryAfterMs = extra.retryAfterMs;
    this.details = extra.details;
  }
}

/**
 * True if the store itself failed; false if the data could not be written. If the store failed, writing only a part of the data would fail
 * too.
 */
export const isStoreFault = (thrown: unknown): boolean => thrown instanceof ColibriError;

/** Whether a write may have been committed or not, and its store cannot be asked. */
export const isUnknownEnd = (thrown: unknown): boolean =>
  thrown instanceof ColibriError && thrown.details?.committed === 'unknown';

/** Makes an Error of any thrown value. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Returns what `act` returns; undefined if `act` throws. For errors that tell nothing, or that nobody can be told of. */
export const quietly = <T>(act: () => T): T | undefined => {
  try {
    return act();
  } catch {
    return undefined;
  }
};

/** The code of a system error, such as `ENOENT` or `EPIPE`; undefined for other errors. */
export const systemCode = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
