// The output of a transport: writes one line per message to a stream, and tracks what must still go out before the transport may close,
// which is lines that wait in the stream and answers to requests. The writer's owner listens to the stream's events.
import type { Writable } from 'node:stream';
import type { RequestId } from '@modelcontextprotocol/server';
import { WIRE_LIMITS } from './limits.js';

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

export class LineWriter {
  readonly #output: Writable;
  readonly #backlogBytes: number;
  readonly #onProgress: () => void;
  #waiters: Waiter[] = [];
  #unwritten = 0;
  /** The number of lines held back until the end of this turn of the event loop, and their text. */
  #held = 0;
  #text = '';

  /** `onProgress` runs whenever the stream has written something. */
  constructor(output: Writable, backlogBytes: number, onProgress: () => void) {
    this.#output = output;
    this.#backlogBytes = backlogBytes;
    this.#onProgress = onProgress;
  }

  /** The number of lines that the stream has not written yet. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /**
   * True if too many bytes wait in the stream. Lines held back until the end of the turn do not count: they have a bound of their own.
   * `writableNeedDrain` must be true, because otherwise no 'drain' event would follow and a waiting sender would wait for ever.
   */
  get full(): boolean {
    return this.#output.writableNeedDrain && this.#output.writableLength > this.#backlogBytes;
  }

  /** Writes a line, whole or in parts. Resolves at once or, if too many bytes wait in the stream, when they are written. */
  write(text: string | readonly (string | Buffer)[], moreToCome: boolean): Promise<void> {
    if (!this.#output.writable) return Promise.reject(new Error('The output is closed'));
    this.#unwritten++;
    if (typeof text !== 'string') this.#writeParts(text);
    else if (moreToCome || this.#held > 0) this.#hold(text);
    else this.#output.write(`${text}\n`, this.#onWritten);
    if (!this.full) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Writes a line in parts, after the lines that are held back. */
  #writeParts(parts: readonly (string | Buffer)[]): void {
    this.#letGo();
    this.#output.cork();
    for (const part of parts) this.#output.write(part);
    this.#output.write('\n', this.#onWritten);
    this.#output.uncork();
  }

  /** Joins the lines of one turn of the event loop into one write: answers that shared a commit share a system call. */
  #hold(text: string): void {
    if (this.#held === 0) process.nextTick(this.#letGo);
    this.#held++;
    this.#text += `${text}\n`;
    if (this.#text.length >= WIRE_LIMITS.togetherChars) this.#letGo();
  }

  readonly #letGo = (): void => {
    const lines = this.#held;
    const text = this.#text;
    if (lines === 0) return; // already written, because there were too many for one turn
    this.#held = 0;
    this.#text = '';
    if (this.#output.writable) this.#output.write(text, () => this.#done(lines));
    else this.#done(lines);
  };

  /** Lets waiting senders go on. To be called at the stream's 'drain' event. */
  release(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  /** Ends the writing. To be called when nothing more will be written. Lines taken before are still written if possible. */
  abort(error: Error): void {
    this.#letGo();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  readonly #onWritten = (): void => this.#done(1);

  #done(lines: number): void {
    this.#unwritten -= lines;
    this.#onProgress();
  }
}

/** Counts the requests that were delivered and not yet answered. A client may use an id twice, so each id has a count. */
export class InFlight {
  readonly #counts = new Map<RequestId, number>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: RequestId): boolean {
    return this.#counts.has(id);
  }

  add(id: RequestId): void {
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
    this.#size++;
  }

  /** Removes one request with this id. Returns false if no request with it was in flight. */
  remove(id: RequestId): boolean {
    const count = this.#counts.get(id);
    if (count === undefined) return false;
    if (count === 1) this.#counts.delete(id);
    else this.#counts.set(id, count - 1);
    this.#size--;
    return true;
  }
}

// Waits for a condition. Code that may have changed the condition calls `made`.

const nobody = (): void => {};

export class Progress {
  #look = nobody;

  /** To be called when the condition that `until` waits for may have changed. */
  readonly made = (): void => this.#look();

  /** Waits until `done()` is true, at most `patienceMs` from the start or from the last progress. Only one waiter at a time. */
  until(done: () => boolean, patienceMs: number, from: 'start' | 'last progress'): Promise<void> {
    if (done()) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#look = nobody;
        resolve();
      };
      const timer = setTimeout(stop, patienceMs);
      this.#look = () => {
        if (done()) stop();
        else if (from === 'last progress') timer.refresh();
      };
    });
  }
}
