// Collects which processes and calls the records of a range name, as entries of 32 bytes (a key and a value of 16 bytes each) for the
// scratch file. Records of one process may lie far apart; that file groups entries by key, so that presence-check.ts can compare them.
import { hash } from 'node:crypto';
import type { JsonObject } from '../../proof/canonical-json.js';

/** What an entry says: that a process began, ended, accepted a call or wrote another record; or that a call has this id. */
export const PRESENCE = { began: 1, ended: 2, called: 3, wrote: 4, call: 5 } as const;

/** The length in bytes of an entry's key; PRESENCE_BYTES is the length of a whole entry. */
export const KEY_BYTES = 16;
export const PRESENCE_BYTES = 32;

/** The numbers of the first and the last record by which a process did something in a range of records. */
interface Span {
  readonly instance: string;
  readonly first: number;
  last: number;
}

/** The spans of processes by their ids, and the one that grew last. */
interface Spans {
  readonly all: Map<string, Span>;
  latest: Span | undefined;
}

const noSpans = (): Spans => ({ all: new Map(), latest: undefined });

/** The entries of one range of records. A process has one entry for its calls and one for its other records, however many there are. */
export interface Presences {
  /** The number of the log in the store. */
  readonly no: number;
  readonly log: string;
  /**
   * For each process, its first and its last `call.enter` record that is not marked `late` or `recovered`; `wrote` has the same for its
   * other records.
   */
  readonly called: Spans;
  readonly wrote: Spans;
  entries: Buffer;
  used: number;
}

/** Makes an empty collection with memory for `entries` entries; it grows when more are added. */
export const newPresences = (no: number, log: string, entries: number): Presences => ({
  no,
  log,
  called: noSpans(),
  wrote: noSpans(),
  entries: Buffer.allocUnsafeSlow(Math.max(1, entries) * PRESENCE_BYTES),
  used: 0,
});

/**
 * Completes an entry whose key is already written: appends its type, its log and its record numbers. Makes room for another entry if
 * needed.
 */
const addEntry = (presences: Presences, type: number, first: number, last: number): void => {
  const at = presences.used + KEY_BYTES;
  presences.entries.writeUInt32LE(type, at);
  presences.entries.writeUInt32LE(presences.no, at + 4);
  presences.entries.writeUInt32LE(first, at + 8);
  presences.entries.writeUInt32LE(last, at + 12);
  presences.used += PRESENCE_BYTES;
  if (presences.used < presences.entries.length) return;
  presences.entries = Buffer.concat([presences.entries], presences.entries.length * 2);
};

const addProcess = (
  presences: Presences,
  type: number,
  instance: string,
  { first, last }: Omit<Span, 'instance'>,
): void => {
  // The key includes the log, because a process must have begun in the same log to which it writes.
  presences.entries.write(hash('sha256', `${presences.log} ${instance}`), presences.used, KEY_BYTES, 'hex');
  addEntry(presences, type, first, last);
};

/** The value of each lower-case hex digit, by its character code; -1 for every other character. */
const DIGITS = Int8Array.from({ length: 128 }, (_, code) => '0123456789abcdef'.indexOf(String.fromCharCode(code)));
const DASH = '-'.charCodeAt(0);
const UUID_CHARS = 36;

/** Writes the bytes of an id in the form of a UUID; false if it has another form. By hand, since nearly every call has such an id. */
const writeUuid = (into: Buffer, at: number, id: string): boolean => {
  if (id.length !== UUID_CHARS) return false;
  let [digits, byte] = [0, 0];
  for (let i = 0; i < UUID_CHARS; i++) {
    const code = id.charCodeAt(i);
    if (code === DASH) continue;
    const digit = DIGITS[code] ?? -1;
    if (digit < 0 || digits === 2 * KEY_BYTES) return false;
    byte = byte * 16 + digit;
    digits += 1;
    if (digits % 2 === 1) continue;
    into[at + digits / 2 - 1] = byte;
    byte = 0;
  }
  return digits === 2 * KEY_BYTES;
};

const addCall = (presences: Presences, call: string, seq: number): void => {
  const { entries, used } = presences;
  if (!writeUuid(entries, used, call)) entries.write(hash('sha256', call), used, KEY_BYTES, 'hex');
  addEntry(presences, PRESENCE.call, seq, seq);
};

const widen = (spans: Spans, instance: string, seq: number): void => {
  // Comparing two texts is cheaper than looking one up, and mostly one process makes many calls one after the other.
  const span = spans.latest?.instance === instance ? spans.latest : spans.all.get(instance);
  spans.latest = span ?? { instance, first: seq, last: seq };
  spans.latest.last = seq;
  if (span === undefined) spans.all.set(instance, spans.latest);
};

/** Notes what a record says about a process or a call. Records must be given in the order of the log. */
export const notePresence = (presences: Presences, body: JsonObject, seq: number): void => {
  const { kind, instance, call, late, recovered, state } = body;
  if (typeof instance !== 'string') return;
  // The process that asked for an approval; who answers or uses it may write another log.
  if (kind === 'approval' && state !== 'asked') return;
  if (kind === 'boot') addProcess(presences, PRESENCE.began, instance, { first: seq, last: seq });
  else if (kind === 'shutdown') addProcess(presences, PRESENCE.ended, instance, { first: seq, last: seq });
  else if (kind === 'call.enter' && late !== true && recovered !== true) widen(presences.called, instance, seq);
  // After its `shutdown` record a process may still write outcomes, and starts of calls that are marked `late` or `recovered`. So only the
  // starts of its other calls must come before the `shutdown` record.
  else widen(presences.wrote, instance, seq);
  if (kind === 'call.enter' && typeof call === 'string') addCall(presences, call, seq);
};

/** All entries of a range of records, for the scratch file. */
export const presenceEntries = (presences: Presences): Uint8Array => {
  for (const [instance, span] of presences.called.all) addProcess(presences, PRESENCE.called, instance, span);
  for (const [instance, span] of presences.wrote.all) addProcess(presences, PRESENCE.wrote, instance, span);
  return Uint8Array.prototype.slice.call(presences.entries, 0, presences.used);
};

export interface Seen {
  readonly type: number;
  readonly no: number;
  readonly first: number;
  readonly last: number;
}

/** Reads the value of an entry, which begins at byte `at`. */
export const seenIn = (entries: Buffer, at: number): Seen => ({
  type: entries.readUInt32LE(at),
  no: entries.readUInt32LE(at + 4),
  first: entries.readUInt32LE(at + 8),
  last: entries.readUInt32LE(at + 12),
});
