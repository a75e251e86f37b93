// Counts the requests that were delivered and not yet answered. A client may use an id twice, so each id has a count.

import type { RequestId } from '@modelcontextprotocol/server';

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
