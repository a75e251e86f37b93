// Every error code that a caller can see, in one table. docs/errors.md lists the same codes; a test keeps the two equal.
// Callers should decide on codes, never on message text.

export type RetryAdvice = 'no' | 'later' | 'after a change';

interface ErrorRow {
  readonly meaning: string;
  /** Who reads the error: the calling agent, or the person who started the process. */
  readonly seenBy: 'agent' | 'person';
  readonly retry: RetryAdvice;
}

export const ERRORS = {
  // The caller's fault.
  INVALID_PARAMS: { meaning: 'The arguments do not fit the tool.', seenBy: 'agent', retry: 'after a change' },
  TOOL_NOT_FOUND: { meaning: 'There is no tool of that name.', seenBy: 'agent', retry: 'after a change' },
  TOOL_NOT_ADMITTED: { meaning: 'The tool exists but this mode does not admit it.', seenBy: 'agent', retry: 'no' },

  // The tool's own failure.
  HANDLER_ERROR: {
    meaning: 'The tool failed; what it had written to the store was rolled back.',
    seenBy: 'agent',
    retry: 'no',
  },

  // Refusals by tools: tasks.
  ERR_NOT_FOUND: {
    meaning: 'There is no such task, no such task to depend on, or no such thought in the session.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_AMBIGUOUS_PROJECT: {
    meaning: 'Several projects have that name; their ids tell them apart.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_IDEMPOTENCY_MISMATCH: {
    meaning: 'The idempotency key was used for a request with other arguments.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_INVALID_TRANSITION: { meaning: 'That state may not follow.', seenBy: 'agent', retry: 'after a change' },
  ERR_WRITEBACK_REQUIRED: {
    meaning: 'DONE needs a thought recorded for the task in its current attempt.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_BLOCKED: { meaning: 'APPLY needs every dependency DONE.', seenBy: 'agent', retry: 'later' },
  ERR_DEPENDENCY_CYCLE: { meaning: 'The task would wait for itself.', seenBy: 'agent', retry: 'after a change' },
  ERR_VERSION_CONFLICT: {
    meaning: 'The task has changed since that version.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_LEASE_LOST: {
    meaning: 'Somebody else holds the lease, or the token belongs to a lease that is over.',
    seenBy: 'agent',
    retry: 'later',
  },
  ERR_READ_ONLY: { meaning: 'Nothing can be claimed in this mode.', seenBy: 'agent', retry: 'no' },

  // Refusals by tools: sessions and proofs.
  ERR_SESSION_EXISTS: {
    meaning: 'There already is a session of that name.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  ERR_SESSION_NOT_FOUND: { meaning: 'There is no such session.', seenBy: 'agent', retry: 'after a change' },
  ERR_ALREADY_FINALIZED: { meaning: 'The session was finalized before.', seenBy: 'agent', retry: 'no' },
  ERR_NO_RECORDS: { meaning: 'The session has no thoughts to seal.', seenBy: 'agent', retry: 'after a change' },
  ERR_NOT_FINALIZED: { meaning: 'The session is still open and has no root.', seenBy: 'agent', retry: 'later' },

  // Refusals by tools: thoughts. The code is at the start of the message of HANDLER_ERROR.
  SESSION_NOT_FOUND: { meaning: 'There is no such session.', seenBy: 'agent', retry: 'after a change' },
  SESSION_FINALIZED: {
    meaning: 'The session was finalized and takes no more thoughts.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  SKILL_NOT_FOUND: { meaning: 'There is no skill of that name here.', seenBy: 'agent', retry: 'after a change' },
  TASK_NOT_FOUND: { meaning: 'There is no such task.', seenBy: 'agent', retry: 'after a change' },
  THOUGHT_NOT_FOUND: { meaning: 'There is no such thought.', seenBy: 'agent', retry: 'after a change' },
  IDEMPOTENCY_MISMATCH: {
    meaning: 'The idempotency key was used in this session for a thought with other arguments.',
    seenBy: 'agent',
    retry: 'after a change',
  },

  // The stages.
  AUDIT_ENTER_FAILED: {
    meaning: 'The intent could not be recorded, so the tool did not run.',
    seenBy: 'agent',
    retry: 'later',
  },
  AUDIT_EXIT_FAILED: {
    meaning: 'The outcome could not be recorded, so the write was rolled back.',
    seenBy: 'agent',
    retry: 'later',
  },

  // Other servers, behind the switchboard.
  TOOL_UNAVAILABLE: {
    meaning: 'The server behind the tool may not get calls now; nothing was sent.',
    seenBy: 'agent',
    retry: 'later',
  },
  TOOL_BUSY: {
    meaning: 'Too many calls wait for the server behind the tool; nothing was sent.',
    seenBy: 'agent',
    retry: 'later',
  },
  TOOL_TIMEOUT: {
    meaning: 'A tool of another server that changes nothing gave no answer.',
    seenBy: 'agent',
    retry: 'later',
  },
  OUTCOME_UNKNOWN: {
    meaning: 'A tool of another server was called and gave no answer: it may have done its work.',
    seenBy: 'agent',
    retry: 'no',
  },
  FALLBACK_CHAIN_EXHAUSTED: {
    meaning: 'No provider of the route served the call; whatever was sent went to tools that change nothing.',
    seenBy: 'agent',
    retry: 'later',
  },

  // The store.
  STORE_UNAVAILABLE: { meaning: 'The store could not be opened or used.', seenBy: 'agent', retry: 'later' },
  STORE_BUSY: {
    meaning: 'Another process held the store for too long.',
    seenBy: 'agent',
    retry: 'later',
  },
  STORE_FULL: { meaning: 'The disk is full; the write was rolled back.', seenBy: 'agent', retry: 'later' },
  STORE_READ_ONLY: { meaning: 'The store is open for reading only.', seenBy: 'agent', retry: 'no' },
  STORE_CORRUPT: { meaning: 'The store is damaged or contradicts itself.', seenBy: 'agent', retry: 'no' },
  STORE_ROLLED_BACK: {
    meaning: 'The store lacks records that were signed: a backup, a copy or a snapshot was put in its place.',
    seenBy: 'agent',
    retry: 'after a change',
  },
  STORE_UPGRADED: {
    meaning: 'A newer Colibri has upgraded the store; this process must not write to it.',
    seenBy: 'agent',
    retry: 'no',
  },

  // Starting.
  CONFIG_INVALID: { meaning: 'A setting has a value that is not allowed.', seenBy: 'person', retry: 'after a change' },
  STARTUP_TIMEOUT: { meaning: 'The transport did not start in time (exit code 75).', seenBy: 'person', retry: 'later' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

export interface ErrorExtra {
  /** What the caller can do about the error, in one sentence. */
  readonly remedy?: string;
  readonly retryAfterMs?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error with a code of the table above. Errors of libraries are converted to it where they enter Colibri's code. */
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

/** True if the store failed rather than the data that was written: writing a part of the data would fail too. */
export const isStoreFault = (thrown: unknown): boolean => thrown instanceof ColibriError;

/** Makes an Error of any thrown value. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The code of a system error, such as `ENOENT` or `EPIPE`; undefined for other errors. */
export const systemCode = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
