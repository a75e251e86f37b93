// The layout of traces: what a record says about one evidence row, in an entry of 32 bytes for the scratch file. The traces of a row
// come together there from all logs, so the history of the row can be followed.
import { hash } from 'node:crypto';
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';

/** The types of rows whose revisions are followed. The others have one revision, which the row itself names. */
const FOLLOWED = ['task', 'lease', 'session', 'catalogue'] as const;
export type FollowedType = (typeof FOLLOWED)[number];

export const isFollowed = (type: unknown): type is FollowedType => FOLLOWED.includes(type as FollowedType);

/**
 * What a record does with a row: `made` a revision of it, found a task DONE (`done`) or a lease run out (`expired`) at a revision.
 */
const KINDS = ['made', 'done', 'expired'] as const;

/** Where the steps of a task in one record begin and end, and the attempt after them. */
export interface TracedMove {
  readonly from: TaskState;
  readonly to: TaskState;
  readonly attempt: number;
  /** How many of the steps begin the work again, so the attempt before them is known. */
  readonly retries: number;
}

export interface Trace {
  readonly kind: (typeof KINDS)[number];
  readonly rev: number;
  /** The id of the record: its log's number and its place in the log. */
  readonly record: number;
  readonly move?: TracedMove | undefined;
}

/** The highest revision that an entry can hold. */
export const MOST_REVISIONS = 2 ** 32 - 1;

const BYTES = { entry: 32, key: 16 } as const;
const AT = { kind: 0, rev: 1, record: 5, states: 12, retries: 13, attempt: 14 } as const;
/** The byte of an entry without a move. */
const NO_MOVE = 0xff;

/** Attempts are kept modulo this number: an entry has two bytes for them. */
export const ATTEMPTS = 2 ** 16;

/** Writes the key of a row: its type, then the number of its task, or a digest of its id. */
const writeKey = (into: Buffer, at: number, type: FollowedType, id: string | number): void => {
  into[at] = FOLLOWED.indexOf(type);
  if (typeof id === 'number') {
    into.writeUInt32BE(Math.floor(id / RECORDS_PER_LOG), at + 8);
    into.writeUInt32BE(id % RECORDS_PER_LOG, at + 12);
  } else into.set(hash('sha256', id, 'buffer').subarray(0, BYTES.key - 1), at + 1);
};

/** The row that a key names: the number of its task, or, if only a digest of its id is known, how to tell that an id is its own. */
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

export const readTrace = (value: Buffer): Trace => ({
  kind: KINDS[value[AT.kind] ?? 0] ?? 'made',
  rev: value.readUInt32BE(AT.rev),
  record: value.readUInt32BE(AT.record + 3) + value.readUIntBE(AT.record, 3) * RECORDS_PER_LOG,
  move: readMove(value),
});

/** Collects traces of one range of records, one entry after the other. */
export class TraceList {
  #bytes = Buffer.alloc(BYTES.entry * 256);
  #used = 0;

  add(type: FollowedType, id: string | number, { kind, rev, record, move }: Trace): void {
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
    into.writeUInt16BE((move?.attempt ?? 0) % ATTEMPTS, at + AT.attempt);
    this.#used += BYTES.entry;
  }

  /** The entries, in memory of their own: they are sent to another thread. */
  get entries(): Uint8Array {
    return new Uint8Array(this.#bytes.subarray(0, this.#used));
  }
}
