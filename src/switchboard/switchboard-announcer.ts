// Tells clients that the list of tools has changed: when it differs from what they were last given or told of, and at most
// once a second.
import { createHash } from 'node:crypto';
import { LIMITS } from '../limits.js';

export class Announcer {
  readonly #nowMs: () => number;
  readonly #listeners = new Set<() => void>();
  /** What clients know of; undefined before anybody has asked. */
  #known: string | undefined;
  #current = '';
  #lastAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** This list was given to a client. */
  answered(list: unknown): void {
    this.#current = digestOf(list);
    this.#known = this.#current;
  }

  /** The list is this one now. */
  look(list: unknown): void {
    if (this.#known === undefined) return;
    this.#current = digestOf(list);
    if (this.#current === this.#known || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#lastAt + LIMITS.listChangedMs - this.#nowMs());
    this.#timer = setTimeout(() => this.#tell(), waitMs).unref();
  }

  #tell(): void {
    this.#timer = undefined;
    if (this.#current === this.#known) return;
    this.#known = this.#current;
    this.#lastAt = this.#nowMs();
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }
}

const digestOf = (list: unknown): string => createHash('sha256').update(JSON.stringify(list)).digest('hex');
