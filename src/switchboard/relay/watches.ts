// Resources that the client wants to hear of: each server is told to watch those that are its own.
import type { RelayedServer } from './request.js';

export interface WatchesDeps {
  readonly servers: () => readonly RelayedServer[];
  readonly ownerOf: (uri: string) => RelayedServer | undefined;
}

export class Watches {
  readonly #deps: WatchesDeps;
  /** One by one, as clients of the old era do. */
  readonly #subscribed = new Set<string>();
  /** All at once, as those of the new era do. */
  #listened: readonly string[] = [];

  constructor(deps: WatchesDeps) {
    this.#deps = deps;
  }

  subscribe(uri: string): void {
    this.#subscribed.add(uri);
    this.#tell();
  }

  unsubscribe(uri: string): void {
    this.#subscribed.delete(uri);
    this.#tell();
  }

  listen(uris: readonly string[]): void {
    this.#listened = uris;
    this.#tell();
  }

  /** A server has a new connection, which watches nothing yet, or other resources than before. */
  review(): void {
    if (this.#subscribed.size + this.#listened.length > 0) this.#tell();
  }

  has(uri: unknown): boolean {
    return typeof uri === 'string' && (this.#subscribed.has(uri) || this.#listened.includes(uri));
  }

  #tell(): void {
    const { servers, ownerOf } = this.#deps;
    const wanted = [...new Set([...this.#subscribed, ...this.#listened])];
    for (const { name, backend } of servers()) backend.link?.watch(wanted.filter((uri) => ownerOf(uri)?.name === name));
  }
}
