// The bytes of an intent journal: a header line, then frames. A frame holds the intents of calls that began together, written in one piece. This file is
// pure; journal.ts writes the bytes, recover.ts reads them after their process has died. docs/audit-format.md describes the format.
import { hash } from 'node:crypto';

/** Who writes a journal: the log and the process, and the boot of the machine under which the process runs. */
export interface JournalOwner {
  readonly log: string;
  readonly instance: string;
  readonly machineBoot: string;
}

/** Computes a MAC with a key that is derived from the log's private key. */
export type JournalMac = (text: string) => string;

const MAGIC = 'colibri-journal 1';
/** Stands after the newest frame, so that a frame that was written in part can be told from the remains of older frames. */
const END = '\u0004';
const [LF, END_BYTE, ZERO] = [0x0a, 0x04, 0x00];

export const headerText = ({ log, instance, machineBoot }: JournalOwner): string =>
  `${MAGIC} ${log} ${instance} ${machineBoot}\n`;

/** The header that replaces the first one, byte for byte, when the owner has ended and left intents behind: it names no boot of a machine. */
export const endedHeaderText = (owner: JournalOwner): string =>
  headerText({ ...owner, machineBoot: '*'.repeat(owner.machineBoot.length) });

const HEADER = /^colibri-journal 1 ([0-9a-f]{32}) ([0-9a-f-]{36}) (\S{1,128})$/;
const HEADER_BYTES = 256;

/** The number of a frame's generation and the size of the log when the frame was written. */
export interface FramePlace {
  readonly generation: number;
  readonly size: number;
}

/** The checksum of a frame's lines, which also covers to whom and where they belong. */
const sumOf = ({ log, instance }: JournalOwner, { generation, size }: FramePlace, lines: string): string =>
  hash('sha256', `${log}\n${instance}\n${generation}\n${size}\n${lines}`);

/** A frame as text, with the mark that says that no frame follows. Each line must be free of line feeds. */
export const frameText = (owner: JournalOwner, place: FramePlace, lines: string, mac: JournalMac): string => {
  const sum = sumOf(owner, place, lines);
  return `${place.generation} ${place.size} ${Buffer.byteLength(lines)} ${sum} ${mac(sum)}\n${lines}${END}`;
};

/** The number of bytes of the mark that the next frame overwrites. */
export const END_BYTES = 1;

export interface ReadFrame extends FramePlace {
  readonly lines: readonly string[];
  /** Whether the MAC was made with the log's key; false without the key. */
  readonly isOurs: boolean;
}

export interface ReadJournal {
  readonly owner: JournalOwner;
  readonly frames: readonly ReadFrame[];
  /** True if a frame was written or overwritten in part, or its bytes were changed. */
  readonly isTorn: boolean;
}

const FRAME = /^(\d{1,15}) (\d{1,15}) (\d{1,9}) ([0-9a-f]{64}) ([0-9a-f]{64})$/;
const FRAME_BYTES = 256;
const FRAME_INSIDE = /\d{1,15} \d{1,15} \d{1,9} [0-9a-f]{64} [0-9a-f]{64}\n/g;

const lineAt = (bytes: Buffer, from: number, most: number): string | undefined => {
  const end = bytes.subarray(from, from + most).indexOf(LF);
  return end < 0 ? undefined : bytes.toString('latin1', from, from + end);
};

interface Found {
  readonly frame: ReadFrame;
  readonly next: number;
}

const frameAt = (bytes: Buffer, from: number, owner: JournalOwner, mac: JournalMac | undefined): Found | undefined => {
  const head = lineAt(bytes, from, FRAME_BYTES);
  const [, generation, size, length, sum, given] = FRAME.exec(head ?? '') ?? [];
  if (head === undefined || given === undefined) return undefined;
  const begin = from + head.length + 1;
  const next = begin + Number(length);
  if (next > bytes.length) return undefined;
  const text = bytes.toString('utf8', begin, next);
  const place = { generation: Number(generation), size: Number(size) };
  if (sumOf(owner, place, text) !== sum) return undefined;
  const lines = text.split('\n').slice(0, -1);
  return { frame: { ...place, lines, isOurs: mac?.(sum) === given }, next };
};

/** Returns a function that finds the first place from `from` on where a frame may begin, or the end of the bytes. */
const frameFinder = (bytes: Buffer): ((from: number) => number) => {
  let text: string | undefined;
  return (from) => {
    text ??= bytes.toString('latin1');
    FRAME_INSIDE.lastIndex = from;
    return FRAME_INSIDE.exec(text)?.index ?? bytes.length;
  };
};

/**
 * The frames of a journal, and whether something else was found. After damaged bytes the search goes on: the owner may have died while it
 * overwrote a settled frame, and the frames behind it are whole.
 */
const framesIn = (bytes: Buffer, from: number, owner: JournalOwner, mac: JournalMac | undefined) => {
  const frames: ReadFrame[] = [];
  const nextFrame = frameFinder(bytes);
  let isTorn = false;
  for (let at = from; ; ) {
    while (bytes[at] === ZERO) at += 1; // the owner overwrites settled frames with zeros
    if (at >= bytes.length) return { frames, isTorn: isTorn || bytes[at - 1] !== ZERO }; // a file without an end was cut off
    if (bytes[at] === END_BYTE && !isTorn) return { frames, isTorn };
    const found = frameAt(bytes, at, owner, mac);
    if (found !== undefined) frames.push(found.frame);
    else isTorn = true;
    at = found?.next ?? nextFrame(at + 1);
  }
};

/** Reads a journal; undefined if the bytes do not begin like one. Without `mac` (the log's key is lost) no frame is known to be ours. */
export const readJournal = (
  bytes: Buffer,
  macOf: (owner: JournalOwner) => JournalMac | undefined,
): ReadJournal | undefined => {
  const header = lineAt(bytes, 0, HEADER_BYTES);
  const [, log, instance, machineBoot] = HEADER.exec(header ?? '') ?? [];
  if (header === undefined || log === undefined || instance === undefined || machineBoot === undefined)
    return undefined;
  const owner = { log, instance, machineBoot };
  const { frames, isTorn } = framesIn(bytes, header.length + 1, owner, macOf(owner));
  // Our frames of older generations are remains: all their intents were in the ledger before the journal started again.
  const newest = Math.max(...frames.map(({ generation, isOurs }) => (isOurs ? generation : 0)));
  return { owner, frames: frames.filter(({ generation, isOurs }) => !isOurs || generation === newest), isTorn };
};
