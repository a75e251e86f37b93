// The connections of one server, by dial number: at most one is in use, others may be draining or still being dialled
// after they were given up. Nothing of a connection that was given up gets through.

import type { Listing } from '../../call/peer.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { Account } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool, Dial, DialEnd, Link } from '../link/link.js';
import type { BackendDeps, Timer } from './world.js';

/** What a line says, while it is open. */
export interface LineEvents {
  dialled(dial: number, end: DialEnd): void;
  lost(dial: number, how: Account): void;
  changed(dial: number, what: Listing): void;
  notified(dial: number, method: string, params: JsonObject): void;
  listed(dial: number, tools: readonly DeclaredTool[]): void;
}

interface Line {
  readonly dial: number;
  readonly givenUp: AbortController;
  readonly startTimeoutMs: number;
  isOpen: boolean;
  link: Link | undefined;
  /** The catalogue is being read again, or was a moment ago. */
  isReading: boolean;
  hasChanged: boolean;
  pause: Timer | undefined;
}

type LineDeps = Pick<BackendDeps, 'setTimer' | 'warn'>;

export class Lines {
  readonly #deps: LineDeps;
  readonly #events: LineEvents;
  readonly #open = new Map<number, Line>();
  readonly #draining = new Set<Link>();
  /** Dials and closings under way. */
  readonly #ending = new Set<Promise<void>>();
  #noise = 0;

  constructor(deps: LineDeps, events: LineEvents) {
    this.#deps = deps;
    this.#events = events;
  }

  link(dial: number): Link | undefined {
    return this.#open.get(dial)?.link;
  }

  /** Over all connections so far. */
  get noise(): number {
    return [...this.#open.values()].reduce((sum, { link }) => sum + (link?.noise ?? 0), this.#noise);
  }

  open(dial: number, startTimeoutMs: number, make: Dial): void {
    const line: Line = {
      dial,
      startTimeoutMs,
      givenUp: new AbortController(),
      isOpen: true,
      link: undefined,
      isReading: false,
      hasChanged: false,
      pause: undefined,
    };
    this.#open.set(dial, line);
    this.#track(this.#dial(line, make));
  }

  async #dial(line: Line, make: Dial): Promise<void> {
    const { dial, startTimeoutMs } = line;
    const events = {
      lost: (how: Account): void => {
        if (line.isOpen) this.#events.lost(dial, how);
      },
      listChanged: (what: Listing): void => {
        if (line.isOpen) this.#events.changed(dial, what);
        if (what === 'tools') this.#relist(line);
      },
      notified: (method: string, params: JsonObject): void => {
        if (line.isOpen) this.#events.notified(dial, method, params);
      },
    };
    const end = await attempted(() => make({ dial, events, signal: line.givenUp.signal, startTimeoutMs }));
    if (!line.isOpen) return 'link' in end ? this.#end(end.link, 0) : undefined;
    if ('link' in end) line.link = end.link;
    this.#events.dialled(dial, end);
    if (line.hasChanged) this.#relist(line);
  }

  /** With `drainMs` requests in flight may end first. */
  close(dial: number, drainMs: number): void {
    const line = this.#open.get(dial);
    if (line === undefined) return;
    this.#open.delete(dial);
    line.isOpen = false;
    line.pause?.cancel();
    const { link } = line;
    if (link === undefined) line.givenUp.abort();
    else {
      this.#noise += link.noise;
      this.#track(this.#end(link, drainMs));
    }
  }

  /** At once, those that drain too. */
  closeAll(): void {
    for (const dial of [...this.#open.keys()]) this.close(dial, 0);
    for (const link of this.#draining) void link.close(false);
  }

  /** Resolves when nothing is left, or after `patienceMs`: a server that will not end must not keep us. */
  async ended(patienceMs: number): Promise<void> {
    let timer: Timer | undefined;
    let isLate = false;
    const late = new Promise<void>((resolve) => {
      timer = this.#deps.setTimer(patienceMs, () => {
        isLate = true;
        resolve();
      });
    });
    // A dial that ends may leave a link to be closed.
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

  /** One reading at a time, and not without a pause; what changes meanwhile is seen by the next. */
  #relist(line: Line): void {
    line.hasChanged = true;
    if (!line.isOpen || line.link === undefined || line.isReading) return;
    line.isReading = true;
    line.hasChanged = false;
    void this.#read(line, line.link);
  }

  async #read(line: Line, link: Link): Promise<void> {
    try {
      const tools = await link.listTools(line.startTimeoutMs);
      if (line.isOpen) this.#events.listed(line.dial, tools);
    } catch (thrown) {
      this.#deps.warn(`its catalogue could not be read again: ${String(thrown)}`);
    }
    if (!line.isOpen) return;
    line.pause = this.#deps.setTimer(SWITCHBOARD_LIMITS.relistPauseMs, () => {
      line.isReading = false;
      if (line.hasChanged) this.#relist(line);
    });
  }
}

/** Dials never reject; one that does all the same is a failed dial and not the end of the process. */
const attempted = async (dial: () => Promise<DialEnd>): Promise<DialEnd> => {
  try {
    return await dial();
  } catch (thrown) {
    return { fault: 'spawn_error', text: String(thrown) };
  }
};
