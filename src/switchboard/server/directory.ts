// Keeps the prompts, resources and resource templates that one server listed last. They are read in the background after every new
// connection and when the server reports a change, so that a client that asks for a list never waits for a server.

import type { JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link, OtherList } from '../link/link.js';

export type Entries = Readonly<Record<OtherList, readonly JsonObject[]>>;

const LISTS = ['prompts', 'resources', 'resourceTemplates'] as const;

/** The lists that must be read again when the server reports a change of its prompts or of its resources. */
const OF: Readonly<Record<'prompts' | 'resources', readonly OtherList[]>> = {
  prompts: ['prompts'],
  resources: ['resources', 'resourceTemplates'],
};

export interface DirectoryDeps {
  readonly link: () => Link | undefined;
  /** Called when a list of the server has changed. */
  readonly onChange: (what: 'prompts' | 'resources') => void;
  readonly warn: (message: string) => void;
}

export class Directory {
  readonly #deps: DirectoryDeps;
  #entries: Entries = { prompts: [], resources: [], resourceTemplates: [] };
  #reading: Promise<void> | undefined;
  #isPausing = false;
  #isKnown = false;
  readonly #wanted = new Set<OtherList>();

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  get entries(): Entries {
    return this.#entries;
  }

  /** Whether the server's lists have been read at least once. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Resolves when the current reading of the server's lists has ended. */
  get settled(): Promise<void> {
    return this.#reading ?? Promise.resolve();
  }

  /** Reads lists of the server: one reading at a time, and a pause after each, because some servers report a change whenever a list is read. */
  read(what: 'prompts' | 'resources' | 'all'): void {
    for (const list of what === 'all' ? LISTS : OF[what]) this.#wanted.add(list);
    this.#begin();
  }

  #begin(): void {
    if (this.#reading !== undefined || this.#isPausing) return;
    this.#reading = this.#readWanted().finally(() => {
      this.#reading = undefined;
      this.#isPausing = true;
      setTimeout(() => this.#goOn(), SWITCHBOARD_LIMITS.relistPauseMs).unref();
    });
  }

  /** Reads again the lists that changed during the last reading. */
  #goOn(): void {
    this.#isPausing = false;
    if (this.#wanted.size > 0) this.#begin();
  }

  async #readWanted(): Promise<void> {
    for (const list of [...this.#wanted]) {
      const link = this.#deps.link();
      if (link === undefined) {
        this.#wanted.clear(); // all lists are read after the next connection
        break;
      }
      this.#wanted.delete(list);
      await this.#readOne(link, list);
    }
    this.#isKnown ||= this.#deps.link() !== undefined;
  }

  async #readOne(link: Link, list: OtherList): Promise<void> {
    try {
      const read = await link.list(list, SWITCHBOARD_LIMITS.sideRequestMs);
      const isSame = JSON.stringify(read) === JSON.stringify(this.#entries[list]);
      if (isSame || link !== this.#deps.link()) return;
      this.#entries = { ...this.#entries, [list]: read };
      this.#deps.onChange(list === 'prompts' ? 'prompts' : 'resources');
    } catch (thrown) {
      this.#deps.warn(`its ${list} could not be read: ${String(thrown)}`);
    }
  }
}
