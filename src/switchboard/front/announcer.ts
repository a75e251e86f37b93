// Tells clients that a list (tools, prompts, resources) has changed, at most once a second for each list. For the list of tools, clients are
// told only if the list differs from the one that they last got or were last told about.
import { createHash } from 'node:crypto';
import type { Listing } from '../../call/peer.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

type Listener = (what: Listing) => void;

export class Announcer {
  readonly #nowMs: () => number;
  readonly #listeners = new Set<Listener>();
  /** The digest of the list of tools that clients last got or were told about; undefined until a client has asked for that list. */
  #known: string | undefined;
  #current = '';
  readonly #lastAt = new Map<Listing, number>();
  readonly #timers = new Map<Listing, NodeJS.Timeout>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Remembers the list of tools that a client was given. */
  answered(list: unknown): void {
    this.#current = digestOf(list);
    this.#known = this.#current;
  }

  /** Compares the current list of tools with the list that clients know, and sends clients a notification if the two differ. */
  look(list: unknown): void {
    if (this.#known === undefined) return;
    this.#current = digestOf(list);
    if (this.#current !== this.#known) this.changed('tools');
  }

  /** To be called when Colibri has further tools of its own. */
  added(): void {
    if (this.#known === undefined) return;
    this.#known = '';
    this.changed('tools');
  }

  changed(what: Listing): void {
    if (this.#timers.has(what)) return;
    const last = this.#lastAt.get(what) ?? Number.NEGATIVE_INFINITY;
    const waitMs = Math.max(0, last + SWITCHBOARD_LIMITS.listChangedMs - this.#nowMs());
    this.#timers.set(what, setTimeout(() => this.#tell(what), waitMs).unref());
  }

  #tell(what: Listing): void {
    this.#timers.delete(what);
    if (what === 'tools' && this.#current === this.#known) return;
    if (what === 'tools') this.#known = this.#current;
    this.#lastAt.set(what, this.#nowMs());
    for (const listener of this.#listeners) listener(what);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    this.#listeners.clear();
  }
}

const digestOf = (list: unknown): string => createHash('sha256').update(JSON.stringify(list)).digest('hex');
