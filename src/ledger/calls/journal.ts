// The intent journal of this process: a file of fixed size beside the store. The intent of a call is written here before the call's handler starts, which
// takes a tenth of a commit; it enters the ledger later, together with the call's outcome. What is written survives the death of the process, and
// with `COLIBRI_DURABILITY=full` that of the machine. After a death, another process moves the intents into the ledger (recover.ts).
import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { ColibriError, quietly } from '../../errors.js';
import { syncPath } from '../../files/durable-file.js';
import { LEDGER_LIMITS } from '../limits.js';
import {
  END_BYTES,
  endedHeaderText,
  frameText,
  headerText,
  type JournalMac,
  type JournalOwner,
} from './journal-format.js';

/** The bytes of one write, and how many of its intents are not in the ledger yet. */
export interface JournalFrame {
  readonly at: number;
  readonly bytes: number;
  open: number;
}

export interface JournalOptions {
  readonly path: string;
  readonly owner: JournalOwner;
  readonly mac: JournalMac;
  /** True if what is written must also survive the death of the machine. */
  readonly isSynced: boolean;
}

/** Instead of a descriptor, once the file is closed: the system may give the number of a closed descriptor to another file. */
const CLOSED = -1;

const ZEROS = Buffer.alloc(64 * 1024);

const writeAll = (descriptor: number, bytes: Buffer, length: number, at: number): void => {
  for (let done = 0; done < length; ) done += fs.writeSync(descriptor, bytes, done, length - done, at + done);
};

/** Creates the file, full of zeros: later writes need no further disk space, and the file's length never changes. */
const create = (options: JournalOptions): { readonly descriptor: number; readonly begin: number } => {
  try {
    return made(options);
  } catch (thrown) {
    throw notWritten(thrown);
  }
};

const made = ({ path, owner, isSynced }: JournalOptions): { readonly descriptor: number; readonly begin: number } => {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR } = fs.constants;
  const descriptor = fs.openSync(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600);
  try {
    for (let at = 0; at < LEDGER_LIMITS.journalBytes; at += ZEROS.length) writeAll(descriptor, ZEROS, ZEROS.length, at);
    const header = Buffer.from(headerText(owner));
    writeAll(descriptor, header, header.length, 0);
    if (isSynced) {
      fs.fsyncSync(descriptor);
      syncPath(dirname(path));
    }
    return { descriptor, begin: header.length };
  } catch (thrown) {
    // The file holds nothing, and on a full disk every further try would leave another one.
    fs.closeSync(descriptor);
    fs.rmSync(path, { force: true });
    throw thrown;
  }
};

const notWritten = (cause: unknown): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `The intent journal cannot be written: ${String(cause)}`, {
    remedy: 'colibri doctor says what is wrong with the folder of the store.',
    cause,
  });

export class IntentJournal {
  readonly #options: JournalOptions;
  #descriptor: number;
  readonly #begin: number;
  /** The place of the next frame, and the end of the bytes that may not be zero. */
  #at: number;
  #used: number;
  #generation = 1;
  readonly #open = new Set<JournalFrame>();
  #buffer = Buffer.alloc(4096);
  #isSyncing = false;
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];

  constructor(options: JournalOptions) {
    this.#options = options;
    const { descriptor, begin } = create(options);
    this.#descriptor = descriptor;
    this.#begin = begin;
    this.#at = begin;
    this.#used = begin;
  }

  get isSynced(): boolean {
    return this.#options.isSynced;
  }

  /**
   * Writes the intents of `count` calls, one line each, in one piece. Returns undefined, with nothing written, if there is no room for them: then there
   * is room again once all intents in the journal are in the ledger. `size` is the number of records in the log.
   */
  write(lines: string, count: number, size: number): JournalFrame | undefined {
    if (this.#open.size === 0 && this.#at > this.#begin) {
      this.#at = this.#begin;
      this.#generation += 1;
    }
    // A character has at least one byte: very long arguments are neither hashed nor copied in vain.
    if (this.#at + lines.length > LEDGER_LIMITS.journalBytes) return undefined;
    const { owner, mac } = this.#options;
    const text = frameText(owner, { generation: this.#generation, size }, lines, mac);
    // In UTF-8 a character of JavaScript has at most three bytes.
    if (this.#buffer.length < text.length * 3) this.#buffer = Buffer.alloc(text.length * 3);
    const bytes = this.#buffer.write(text, 'utf8');
    if (this.#at + bytes > LEDGER_LIMITS.journalBytes) return undefined;
    try {
      writeAll(this.#descriptor, this.#buffer, bytes, this.#at);
    } catch (thrown) {
      throw notWritten(thrown);
    }
    const frame = { at: this.#at, bytes: bytes - END_BYTES, open: count };
    this.#open.add(frame);
    this.#at += frame.bytes;
    this.#used = Math.max(this.#used, this.#at + END_BYTES);
    return frame;
  }

  /** Resolves when everything that was written before is on disk. Writes of one turn of the event loop share a sync. */
  synced(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (!this.#isSyncing) this.#sync();
    });
  }

  #sync(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isSyncing = true;
    const ended = (error: unknown): void => {
      this.#isSyncing = false;
      for (const { resolve, reject } of waiting) {
        if (error === null) resolve();
        else reject(notWritten(error));
      }
      if (this.#waiting.length > 0 && !this.#isSyncing) this.#sync();
    };
    try {
      fs.fdatasync(this.#descriptor, ended);
    } catch (thrown) {
      ended(thrown); // the file is closed
    }
  }

  /** Says that one intent of the frame is in the ledger. */
  release(frame: JournalFrame): void {
    frame.open -= 1;
    if (frame.open === 0) this.#open.delete(frame);
  }

  /**
   * Overwrites with zeros the intents that are in the ledger: they may hold arguments that a person erases later. Makes the file again if somebody
   * removed it.
   */
  wipe(): void {
    let at = this.#begin;
    for (const frame of this.#open) {
      this.#zero(at, frame.at);
      at = frame.at + frame.bytes;
    }
    this.#zero(at, this.#used);
    if (this.#open.size === 0) this.#used = this.#begin;
    if (fs.fstatSync(this.#descriptor).nlink === 0) this.#renew();
  }

  #zero(from: number, to: number): void {
    for (let at = from; at < to; at += ZEROS.length)
      writeAll(this.#descriptor, ZEROS, Math.min(ZEROS.length, to - at), at);
  }

  /** Copies the journal into a new file at its path. Whoever removed the file may have removed its folder, too. */
  #renew(): void {
    fs.mkdirSync(dirname(this.#options.path), { recursive: true, mode: 0o700 });
    const bytes = Buffer.alloc(this.#used);
    fs.readSync(this.#descriptor, bytes, 0, bytes.length, 0);
    const { descriptor } = create(this.#options);
    writeAll(descriptor, bytes, bytes.length, 0);
    fs.closeSync(this.#descriptor);
    this.#descriptor = descriptor;
  }

  /** Closes the journal and removes its file, unless it holds intents that are not in the ledger: a later process moves these there. */
  end(): void {
    if (this.#descriptor === CLOSED) return;
    quietly(() => this.wipe());
    quietly(() => this.#leave());
    fs.closeSync(this.#descriptor);
    this.#descriptor = CLOSED;
  }

  #leave(): void {
    const { path, owner } = this.#options;
    const header = Buffer.from(endedHeaderText(owner));
    if (this.#open.size === 0) fs.rmSync(path, { force: true });
    else writeAll(this.#descriptor, header, header.length, 0);
  }
}
