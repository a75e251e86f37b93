// Delays the first list of tools, once and briefly, until the servers that are starting have sent their tools. A server that never answers
// must not keep the tools of other servers from being listed.

import { within } from '../../core/within.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Servers } from './servers.js';

export class FirstList {
  readonly #servers: Servers;
  #over: Promise<unknown> | undefined;
  #listable: Promise<unknown> | undefined;
  #wake = (): void => {};

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Resolves when every server has sent its tools or failed, at the latest after `firstListMs`. */
  over(): Promise<unknown> {
    this.#over ??= within(
      this.#servers.applied.then(() => this.#seen()),
      SWITCHBOARD_LIMITS.firstListMs,
    );
    return this.#over;
  }

  #seen(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.look();
    });
  }

  /** Resolves when also the prompts and resources of the starting servers are read, at the latest after `firstListMs`. */
  listable(): Promise<unknown> {
    this.#listable ??= within(
      this.over().then(() => Promise.all([...this.#servers.all.values()].map(({ directory }) => directory.settled))),
      SWITCHBOARD_LIMITS.firstListMs,
    );
    return this.#listable;
  }

  /** Ends the wait if no server is awaited any more. To be called when a server's tool list or health state, or the switchboard file has changed. */
  look(): void {
    if (!this.#hasUnseen()) this.#wake();
  }

  /** Whether a server whose tool list is not known from an earlier run is still starting. */
  #hasUnseen(): boolean {
    return this.#servers.backends.some(
      ({ catalogueDigest, state }) => catalogueDigest === null && state?.state === 'STARTING',
    );
  }
}
