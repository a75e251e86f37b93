// The layout of traces. A trace is what one record says about one evidence row, as an entry of 32 bytes in the scratch file. That file
// groups the traces of all logs by row, so that the history of each row can be checked.
import { hash } from 'node:crypto';
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';

/**
 * The types of evidence rows whose histories are checked. Rows of the other types have only one revision, and the row itself points to
 * its record.
 */
const FOLLOWED = ['task', 'lease', 'session', 'catalogue', 'approval', 'round', 'voter'] as const;
export type FollowedType = (typeof FOLLOWED)[number];

export const isFollowed = (type: unknown): type is FollowedType => FOLLOWED.includes(type as FollowedType);

/**
 * What a record does with a row: `made` a revision of it, found a task DONE (`done`) or a lease run out (`expired`) at a revision, or
 * recorded a `thought` about a task, which has no revision.
 */
const KINDS = ['made', 'done', 'expired', 'thought'] as const;

/**
 * The transitions of a task in one record taken together: the state before the first, the state after the last, and the attempt after the
 * last.
 */
export interface TracedMove {
  readonly from: TaskState;
  readonly to: TaskState;
  readonly attempt: number;
  /** How many of the transitions begin a new attempt. `attempt` minus this number is the attempt before the record. */
  readonly retries: number;
}

export interface Trace {
  readonly kind: (typeof KINDS)[number];
  readonly rev: number;
  /** The id of the record in the store: the number of its log times 2^32, plus its number in the log. */
  readonly record: number;
  readonly move?: TracedMove | undefined;
  /** Of a thought: the attempt at the task that it belongs to. */
  readonly attempt?: number | undefined;
}

/** The highest revision that fits into an entry of the scratch file. */
export const MOST_REVISIONS = 2 ** 32 - 1;

const BYTES = { entry: 32, key: 16 } as const;
const AT = { kind: 0, rev: 1, record: 5, states: 12, retries: 13, attempt: 14 } as const;
/** An entry has one byte for the states before and after a transition; this value stands there if the record made no transition. */
const NO_MOVE = 0xff;

/** An entry of the scratch file has two bytes for the attempt of a task, so attempts are stored modulo this number. */
export const ATTEMPTS = 2 ** 16;

/** Writes the key of a row: its type, then the number of its task, or a digest of its id. */
const writeKey = (into: Buffer, at: number, type: FollowedType, id: string | number): void => {
  into[at] = FOLLOWED.indexOf(type);
  if (typeof id === 'number') {
    into.writeUInt32BE(Math.floor(id / RECORDS_PER_LOG), at + 8);
    into.writeUInt32BE(id % RECORDS_PER_LOG, at + 12);
  } else into.set(hash('sha256', id, 'buffer').subarray(0, BYTES.key - 1), at + 1);
};

/**
 * The row that a key names. A key holds the number of a task or lease, but only a digest of another row's id; so `isOf` tells whether an
 * id is that of the row.
 */
export interface TracedRow {
  readonly type: FollowedType;
  /** The number of the task; 0 for sessions and catalogues. */
  readonly n: number;
  readonly isOf: (type: unknown, id: string) => boolean;
}

export const rowOf = (key: Buffer): TracedRow => {
  const type = FOLLOWED[key[0] ?? 0] ?? 'task';
  const isNumbered = type === 'task' || type === 'lease';
  const n = isNumbered ? key.readUInt32BE(8) * RECORDS_PER_LOG + key.readUInt32BE(12) : 0;
  const isOf = (other: unknown, id: string): boolean => {
    const own = Buffer.alloc(BYTES.key);
    if (other === type) writeKey(own, 0, type, id);
    return own.equals(key);
  };
  return { type, n, isOf };
};

const readMove = (value: Buffer): TracedMove | undefined => {
  const states = value[AT.states] ?? NO_MOVE;
  const [from, to] = [TASK_STATES[states >> 4], TASK_STATES[states & 0x0f]];
  if (from === undefined || to === undefined) return undefined;
  return { from, to, attempt: value.readUInt16BE(AT.attempt), retries: value[AT.retries] ?? 0 };
};

export const readTrace = (value: Buffer): Trace => {
  const kind = KINDS[value[AT.kind] ?? 0] ?? 'made';
  return {
    kind,
    rev: value.readUInt32BE(AT.rev),
    record: value.readUInt32BE(AT.record + 3) + value.readUIntBE(AT.record, 3) * RECORDS_PER_LOG,
    move: readMove(value),
    ...(kind === 'thought' && { attempt: value.readUInt16BE(AT.attempt) }),
  };
};

/** Collects what the records of one range say about evidence rows (traces), as entries for the scratch file, one after the other. */
export class TraceList {
  #bytes = Buffer.alloc(BYTES.entry * 256);
  #used = 0;

  add(type: FollowedType, id: string | number, { kind, rev, record, move, attempt }: Trace): void {
    if (this.#used === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#used)]);
    const [at, into] = [this.#used + BYTES.key, this.#bytes];
    writeKey(into, this.#used, type, id);
    into[at + AT.kind] = KINDS.indexOf(kind);
    into.writeUInt32BE(rev, at + AT.rev);
    into.writeUIntBE(Math.floor(record / RECORDS_PER_LOG), at + AT.record, 3);
    into.writeUInt32BE(record % RECORDS_PER_LOG, at + AT.record + 3);
    into[at + AT.states] =
      move === undefined ? NO_MOVE : TASK_STATES.indexOf(move.from) * 16 + TASK_STATES.indexOf(move.to);
    into[at + AT.retries] = move?.retries ?? 0;
    into.writeUInt16BE((move?.attempt ?? attempt ?? 0) % ATTEMPTS, at + AT.attempt);
    this.#used += BYTES.entry;
  }

  /** A copy of the entries in this list, which can be sent to another thread. */
  get entries(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#used));
  }
}
