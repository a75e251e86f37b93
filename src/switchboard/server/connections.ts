// The connections of one server, by dial number (each attempt to connect has a number). At most one connection is in use; others may be
// closing after their last calls, or were given up while they were being opened. Events of a connection that was given up are ignored.

import type { Listing } from '../../call/peer.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Account } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool, Dial, DialEnd, Link } from '../link/link.js';
import type { BackendDeps, Timer } from './world.js';

export interface ConnectionEvents {
  dialled(dial: number, end: DialEnd): void;
  lost(dial: number, how: Account): void;
  listed(dial: number, tools: readonly DeclaredTool[]): void;
}

interface Connection {
  readonly dial: number;
  readonly givenUp: AbortController;
  readonly startTimeoutMs: number;
  isOpen: boolean;
  /** True while the server's tool list is being read again, and during the pause after that. */
  isReading: boolean;
  hasChanged: boolean;
  pause: Timer | undefined;
}

type ConnectionDeps = Pick<BackendDeps, 'setTimer' | 'warn' | 'onListChanged' | 'onNotified'>;

export class Connections {
  readonly #deps: ConnectionDeps;
  readonly #events: ConnectionEvents;
  readonly #open = new Map<number, Connection>();
  /** The connections that can be used, by dial number: not those that are still being opened, or closing after their last calls. */
  readonly links = new Map<number, Link>();
  readonly #draining = new Set<Link>();
  /** Openings and closings of connections that are under way. */
  readonly #ending = new Set<Promise<void>>();
  #noise = 0;

  constructor(deps: ConnectionDeps, events: ConnectionEvents) {
    this.#deps = deps;
    this.#events = events;
  }

  /** The number of stdout lines that were not JSON-RPC, over all connections of the server so far. */
  get noise(): number {
    return [...this.links.values()].reduce((sum, { noise }) => sum + noise, this.#noise);
  }

  open(dial: number, startTimeoutMs: number, make: Dial): void {
    const connection: Connection = {
      dial,
      startTimeoutMs,
      givenUp: new AbortController(),
      isOpen: true,
      isReading: false,
      hasChanged: false,
      pause: undefined,
    };
    this.#open.set(dial, connection);
    this.#track(this.#dial(connection, make));
  }

  async #dial(connection: Connection, make: Dial): Promise<void> {
    const { dial, startTimeoutMs } = connection;
    const events = {
      lost: (how: Account): void => {
        if (connection.isOpen) this.#events.lost(dial, how);
      },
      listChanged: (what: Listing): void => {
        if (connection.isOpen) this.#deps.onListChanged?.(what);
        if (what === 'tools') this.#relist(connection);
      },
      notified: (method: string, params: JsonObject): void => {
        if (connection.isOpen) this.#deps.onNotified?.(method, params);
      },
    };
    const end = await attempted(() => make({ dial, events, signal: connection.givenUp.signal, startTimeoutMs }));
    if (!connection.isOpen) return 'link' in end ? this.#end(end.link, 0) : undefined;
    if ('link' in end) this.links.set(dial, end.link);
    this.#events.dialled(dial, end);
    if (connection.hasChanged) this.#relist(connection);
  }

  /** Closes a connection. Its requests in flight may still end within `drainMs`. */
  close(dial: number, drainMs: number): void {
    const connection = this.#open.get(dial);
    if (connection === undefined) return;
    const link = this.links.get(dial);
    this.#open.delete(dial);
    this.links.delete(dial);
    connection.isOpen = false;
    connection.pause?.cancel();
    if (link === undefined) connection.givenUp.abort();
    else {
      this.#noise += link.noise;
      this.#track(this.#end(link, drainMs));
    }
  }

  /** Closes all connections at once, even those that are waiting for their last calls to end. */
  closeAll(): void {
    for (const dial of [...this.#open.keys()]) this.close(dial, 0);
    for (const link of this.#draining) void link.close(false);
  }

  /** Resolves when all connections are closed, or after `patienceMs`: a server that does not exit must not block Colibri. */
  async ended(patienceMs: number): Promise<void> {
    let timer: Timer | undefined;
    let isLate = false;
    const late = new Promise<void>((resolve) => {
      timer = this.#deps.setTimer(patienceMs, () => {
        isLate = true;
        resolve();
      });
    });
    // The end of an attempt to connect may add another connection to close, so the loop checks again.
    while (this.#ending.size > 0 && !isLate) await Promise.race([late, Promise.all(this.#ending)]);
    timer?.cancel();
  }

  async #end(link: Link, drainMs: number): Promise<void> {
    if (drainMs === 0) return link.close(false);
    this.#draining.add(link);
    const timer = this.#deps.setTimer(drainMs, () => void link.close(false));
    await link.close(true);
    timer.cancel();
    this.#draining.delete(link);
  }

  #track(ending: Promise<void>): void {
    const done = ending
      .catch((thrown) => this.#deps.warn(`a connection did not end well: ${String(thrown)}`))
      .then(() => void this.#ending.delete(done));
    this.#ending.add(done);
  }

  /** Reads the tool list again. There is one reading at a time and a pause after it; a change in the meantime leads to one more reading. */
  #relist(connection: Connection): void {
    connection.hasChanged = true;
    const link = this.links.get(connection.dial);
    if (link === undefined || connection.isReading) return;
    connection.isReading = true;
    connection.hasChanged = false;
    void this.#read(connection, link);
  }

  async #read(connection: Connection, link: Link): Promise<void> {
    try {
      const tools = await link.listTools(connection.startTimeoutMs);
      if (connection.isOpen) this.#events.listed(connection.dial, tools);
    } catch (thrown) {
      this.#deps.warn(`its catalogue could not be read again: ${String(thrown)}`);
    }
    if (!connection.isOpen) return;
    connection.pause = this.#deps.setTimer(SWITCHBOARD_LIMITS.relistPauseMs, () => {
      connection.isReading = false;
      if (connection.hasChanged) this.#relist(connection);
    });
  }
}

/** Runs `dial`, whose promise should never reject. If it does, that counts as a failed attempt to connect and does not end the process. */
const attempted = async (dial: () => Promise<DialEnd>): Promise<DialEnd> => {
  try {
    return await dial();
  } catch (thrown) {
    return { fault: 'spawn_error', text: String(thrown) };
  }
};
