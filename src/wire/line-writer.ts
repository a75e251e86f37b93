// The writing half: one line per message, and how much of it still waits. Whoever owns it listens to the stream.
import type { Writable } from 'node:stream';
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
  /** Lines of this turn, and their text. */
  #held = 0;
  #text = '';

  /** `onProgress` runs whenever the stream is done with something. */
  constructor(output: Writable, backlogBytes: number, onProgress: () => void) {
    this.#output = output;
    this.#backlogBytes = backlogBytes;
    this.#onProgress = onProgress;
  }

  /** Lines the stream has not passed on yet. */
  get unwritten(): number {
    return this.#unwritten;
  }

  /**
   * What is held back until the end of the turn is not counted: it has a bound of its own.
   * Without `writableNeedDrain` no 'drain' would follow, and whoever waits for it would wait forever.
   */
  get full(): boolean {
    return this.#output.writableNeedDrain && this.#output.writableLength > this.#backlogBytes;
  }

  /** Resolves at once, or when the backlog is gone if it is too long now. */
  write(text: string, moreToCome: boolean): Promise<void> {
    if (!this.#output.writable) return Promise.reject(new Error('The output is closed'));
    this.#unwritten++;
    if (moreToCome || this.#held > 0) this.#hold(text);
    else this.#output.write(`${text}\n`, this.#onWritten);
    if (!this.full) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Lines of one turn leave as one text: answers that shared a commit share a system call. */
  #hold(text: string): void {
    if (this.#held === 0) process.nextTick(this.#letGo);
    this.#held++;
    this.#text += `${text}\n`;
    if (this.#text.length >= WIRE_LIMITS.togetherChars) this.#letGo();
  }

  readonly #letGo = (): void => {
    const lines = this.#held;
    const text = this.#text;
    if (lines === 0) return; // it was too much to wait for the end of the turn
    this.#held = 0;
    this.#text = '';
    if (this.#output.writable) this.#output.write(text, () => this.#done(lines));
    else this.#done(lines);
  };

  /** To be called at 'drain'. */
  release(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  /** To be called when nothing more will be written. What was taken before still leaves, if it can. */
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

// Waiting for a condition that only changes when something happens: whoever makes it happen says so.

const nobody = (): void => {};

export class Progress {
  #look = nobody;

  /** Something happened that a waiter may have been waiting for. */
  readonly made = (): void => this.#look();

  /** Waits for `done`, but no longer than `patienceMs`: in all, or since the last progress. One waiter at a time. */
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
