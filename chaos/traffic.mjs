// Calls on every server at the same time, one after the other from each caller, and what became of each.
import { setTimeout as sleep } from 'node:timers/promises';

/** Beside what a call may take by its configuration: the machine may be busy. */
const SLACK_MS = 10_000;
/** How long a call waits for a server that is being dialled. */
const DIAL_WAIT_MS = 2_000;

/**
 * By when every call must have an answer of some kind: waiting for its turn, then for the server, and both once more where
 * the call may be sent again.
 * @param {number} timeoutMs of the server, for one call
 */
export const boundOf = (timeoutMs) => 2 * (2 * timeoutMs + DIAL_WAIT_MS) + SLACK_MS;

/**
 * @typedef {{ name: string, arguments: Record<string, unknown> }} Tool
 * @typedef {{ server: string, tools: readonly Tool[], timeoutMs: number }} Target
 */

/**
 * One call. Times are the wall clock's, as in records; `ms` is measured.
 * @typedef {import('./colibri.mjs').End & { key: string, server: string, began: number, ended: number, ms: number }} Call
 */

export class Traffic {
  #colibri;
  #targets;
  #pauseMs;
  /** @type {Call[]} */
  calls = [];
  /** @type {Map<string, number>} */
  #wanted = new Map();
  /** @type {Set<Promise<void>>} */
  #callers = new Set();
  #lastKey = 0;

  /** @param {import('./colibri.mjs').Colibri} colibri @param {readonly Target[]} targets @param {number} pauseMs */
  constructor(colibri, targets, pauseMs) {
    this.#colibri = colibri;
    this.#targets = new Map(targets.map((target) => [target.server, target]));
    this.#pauseMs = pauseMs;
  }

  /** From now on so many callers call the server. @param {string} server @param {number} callers */
  set(server, callers) {
    const before = this.#wanted.get(server) ?? 0;
    this.#wanted.set(server, callers);
    for (let n = before; n < callers; n++) this.#track(this.#caller(server, n));
  }

  /** @param {Promise<void>} caller */
  #track(caller) {
    this.#callers.add(caller);
    void caller.finally(() => this.#callers.delete(caller));
  }

  /** @param {string} server @param {number} place */
  async #caller(server, place) {
    const target = this.#targets.get(server);
    if (target === undefined || target.tools.length === 0) return;
    for (let turn = place; (this.#wanted.get(server) ?? 0) > place; turn++) {
      const tool = target.tools[turn % target.tools.length];
      if (tool !== undefined) await this.#call(target, tool);
      await sleep(this.#pauseMs);
    }
  }

  /** @param {Target} target @param {Tool} tool */
  async #call({ server, timeoutMs }, tool) {
    this.#lastKey += 1;
    const key = `${server}#${this.#lastKey}`;
    const began = Date.now();
    const start = performance.now();
    const end = await this.#colibri.call(tool, key, boundOf(timeoutMs));
    this.calls.push({ key, server, began, ended: Date.now(), ms: performance.now() - start, ...end });
  }

  /** Resolves when nobody calls any more. */
  async stop() {
    this.#wanted.clear();
    await Promise.all(this.#callers);
  }
}
