// What Colibri records about its servers, read from the scratch store while it writes there.
import Database from 'better-sqlite3';

/** @typedef {{ server: string, from: string, to: string | null, cause: string, detail: string | null, at: number }} Transition */

export class HealthLog {
  #database;
  #next;
  #shown;
  #lastId = -1;
  /** @type {Transition[]} */
  transitions = [];

  /** @param {string} file */
  constructor(file) {
    this.#database = new Database(file, { readonly: true, fileMustExist: true });
    this.#next = this.#database.prepare('SELECT id, kind, at, body FROM actions WHERE id > ? ORDER BY id');
    this.#shown = this.#database.prepare('SELECT state, reason FROM server_states WHERE server = ?');
  }

  /** Reads what is new. */
  look() {
    for (const row of /** @type {Iterable<any>} */ (this.#next.iterate(this.#lastId))) {
      this.#lastId = row.id;
      if (row.kind !== 'health') continue;
      const { server, from, to, cause, detail } = JSON.parse(row.body);
      this.transitions.push({ server, from, to, cause, detail, at: Date.parse(row.at) });
    }
  }

  /** What a server is now, and why. One that was held back from the start has no record, only a place on the board. @param {string} server */
  lastOf(server) {
    const last = this.transitions.findLast((one) => one.server === server);
    if (last !== undefined) return { state: last.to, detail: last.detail };
    const shown = /** @type {any} */ (this.#shown.get(server));
    return { state: String(shown?.state ?? 'STARTING'), detail: shown?.reason ?? null };
  }

  /** @param {string} server */
  stateOf(server) {
    return this.lastOf(server).state;
  }

  /** Held back from the start, until a person acts. @param {string} server */
  isHeld(server) {
    return !this.transitions.some((one) => one.server === server) && this.stateOf(server) === 'UNHEALTHY';
  }

  /** @param {string} server @param {number} since */
  of(server, since) {
    return this.transitions.filter((one) => one.server === server && one.at >= since);
  }

  /** What each server offers, as it names its tools itself. @returns {Map<string, any[]>} */
  catalogues() {
    const found = /** @type {any[]} */ (this.#database.prepare('SELECT server, tools FROM catalogue').all());
    return new Map(found.map(({ server, tools }) => [server, JSON.parse(tools)]));
  }

  close() {
    this.#database.close();
  }
}
