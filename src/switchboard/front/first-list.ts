// Delays the first list of tools, once and briefly, until the servers that are starting have sent their tools. A server that never answers
// must not keep the tools of other servers from being listed.

import { within } from '../../core/within.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { RelayedServer } from '../relay/request.js';
import type { Served } from './served.js';

export interface FirstListDeps {
  readonly servers: () => readonly Served[];
  /** Resolves when the switchboard file is applied. */
  readonly applied: () => Promise<void>;
}

export class FirstList {
  readonly #deps: FirstListDeps;
  readonly #waiting = new Set<() => void>();
  #over: Promise<unknown> | undefined;

  constructor(deps: FirstListDeps) {
    this.#deps = deps;
  }

  /** Resolves when every server has sent its tools or failed, at the latest after `firstListMs`. */
  over(): Promise<unknown> {
    this.#over ??= within(
      this.#deps.applied().then(() => this.#seen()),
      SWITCHBOARD_LIMITS.firstListMs,
    );
    return this.#over;
  }

  /** Ends the wait if no server is awaited any more. To be called when a server's tool list or health state, or the switchboard file has changed. */
  look(): void {
    if (!this.#hasUnseen()) for (const wake of this.#waiting) wake();
  }

  /** Whether a server whose tool list is not known from an earlier run is still starting. */
  #hasUnseen(): boolean {
    return this.#deps
      .servers()
      .some(({ catalogueDigest, state }) => catalogueDigest === null && state?.state === 'STARTING');
  }

  #seen(): Promise<void> {
    if (!this.#hasUnseen()) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }
}

/** Returns a function that waits, once and briefly, until the starting servers' prompts and resources are read. */
export const listableOnce = (
  servers: () => readonly RelayedServer[],
  began: () => Promise<unknown>,
): (() => Promise<unknown>) => {
  let first: Promise<unknown> | undefined;
  const settled = async (): Promise<void> => {
    await began();
    await Promise.all(servers().map(({ directory }) => directory.settled));
  };
  return () => {
    first ??= within(settled(), SWITCHBOARD_LIMITS.firstListMs);
    return first;
  };
};
