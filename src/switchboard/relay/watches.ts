// The resources that the client has subscribed to. Each server is told to watch those of its own resources.
import type { RelayedServer } from './request.js';

export interface WatchesDeps {
  readonly servers: () => readonly RelayedServer[];
  readonly ownerOf: (uri: string) => RelayedServer | undefined;
}

export class Watches {
  readonly #deps: WatchesDeps;
  /** The URIs that a client of protocol 2025-11-25 or older has subscribed to, one by one. */
  readonly #subscribed = new Set<string>();
  /** The URIs that a client of protocol 2026-07-28 has subscribed to, all at once. */
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

  /** Tells servers what to watch after a server got a new connection, which watches nothing yet, or after its resources changed. */
  review(): void {
    if (this.#subscribed.size + this.#listened.length > 0) this.#tell();
  }

  has(uri: unknown): boolean {
    return typeof uri === 'string' && (this.#subscribed.has(uri) || this.#listened.includes(uri));
  }

  #tell(): void {
    const { servers, ownerOf } = this.#deps;
    const wanted = [...new Set([...this.#subscribed, ...this.#listened])];
    for (const server of servers()) server.backend.link?.watch(wanted.filter((uri) => ownerOf(uri) === server));
  }
}
