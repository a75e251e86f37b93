// The journal of the changes that init made, so that they can be undone. It is in the state directory, readable by its owner only,
// because clients' files contain secrets. A run of init is recorded before its first change, with each file's digests before and after.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientId, ServersAt } from '../../clients/client.js';
import type { ServerEdit } from '../../clients/servers-text.js';
import { changeState, type HeldState, readState, replaceHeld, type StateFile } from '../../files/held-file.js';
import { isObject } from '../../proof/canonical-json.js';

export interface ServersInverse {
  readonly kind: 'servers';
  readonly format: ServersAt['format'];
  readonly edits: readonly ServerEdit[];
  /** The client that the file belongs to; absent for Colibri's own switchboard file. */
  readonly client?: ClientId;
}

/** How to undo the change of a file that others have changed since. */
export type Inverse =
  | ServersInverse
  /** Colibri's section of a text file. `was`: the section before the change. */
  | { readonly kind: 'block'; readonly was?: string }
  /** A file that Colibri created and that nobody else edits. */
  | { readonly kind: 'file' };

export interface WrittenFile {
  readonly file: string;
  /** A text for people: the client to which the file belongs, and the part of the file that changes. */
  readonly what: string;
  /** SHA-256 of the file's text before the change; null if there was no file. */
  readonly before: string | null;
  /** SHA-256 after the change; null if a client's own command wrote the file and its text was not read afterwards. */
  readonly after: string | null;
  /** The name of the file's backup copy; null if there was no file. */
  readonly backup: string | null;
  readonly inverse: Inverse;
}

export interface InitRun {
  readonly id: string;
  readonly at: string;
  readonly project: string | null;
  readonly files: readonly WrittenFile[];
  /** Folders that the run created, the outermost first. */
  readonly folders: readonly string[];
  /** Digests of the connections (command or address) of the servers that this run approved. */
  readonly approvals: readonly string[];
  /** Names of the secrets in the secrets file that the moved servers refer to. */
  readonly secrets: readonly string[];
  /** The files with the tool lists that were read when the moved servers were tried; absent in runs of older versions. */
  readonly tried?: readonly string[];
}

/** The client that the file belongs to; undefined for a file of Colibri or of the project. */
export const clientIdOf = (inverse: Inverse): ClientId | undefined =>
  inverse.kind === 'servers' ? inverse.client : undefined;

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const isRun = (value: unknown): value is InitRun =>
  isObject(value) && Array.isArray(value.files) && typeof value.id === 'string';

interface Contents {
  readonly version: 1;
  readonly runs: readonly InitRun[];
  /** Folders of the projects that had a .colibri folder when the journal was written. */
  readonly projects: readonly string[];
}

const parse = (text: string): Contents | undefined => {
  const { runs, projects = [] } = JSON.parse(text) as { runs: unknown; projects?: unknown };
  const isTexts = Array.isArray(projects) && projects.every((one) => typeof one === 'string');
  return Array.isArray(runs) && runs.every(isRun) && isTexts ? { version: 1, runs, projects } : undefined;
};

export const journalDir = (stateDir: string): string => join(stateDir, 'init');

export class Journal {
  readonly #dir: string;
  readonly #file: StateFile<Contents>;

  constructor(stateDir: string) {
    this.#dir = journalDir(stateDir);
    this.#file = { path: join(this.#dir, 'journal.json'), parse };
  }

  /** The runs of init, the oldest first. Throws if the journal is damaged: if it counted as empty, the next run would overwrite it. */
  runs(): readonly InitRun[] {
    return readState(this.#file)?.runs ?? [];
  }

  /** Folders of the projects that init was run in. A project whose runs were all undone may still have a store. */
  projects(): readonly string[] {
    const { runs, projects } = readState(this.#file) ?? { runs: [], projects: [] };
    return [...new Set([...projects, ...runs.map(({ project }) => project)].filter((dir) => dir !== null))];
  }

  /** Replaces the run's entry, if there is one, by `next`. */
  #replace(held: HeldState, { id: old }: InitRun, next: readonly InitRun[]): void {
    const runs = [...this.runs().filter(({ id }) => id !== old), ...next];
    const projects = this.projects().filter((dir) => existsSync(join(dir, '.colibri')));
    changeState<Contents>(held, this.#file, () => ({ version: 1, runs, projects }));
  }

  /** Saves a backup of a file's text and returns the backup's name. */
  keep(held: HeldState, text: string): string {
    const name = `${randomUUID()}.backup`;
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    replaceHeld(held, join(this.#dir, name), (fd) => writeFileSync(fd, text));
    return name;
  }

  backup(name: string): string {
    return readFileSync(join(this.#dir, name), 'utf8');
  }

  /** Adds the run to the journal, or replaces its entry. */
  put(held: HeldState, run: InitRun): void {
    this.#replace(held, run, [run]);
  }

  /** Removes from the journal a run that was undone, and the run's backups; the run's project stays listed. */
  drop(held: HeldState, run: InitRun): void {
    this.#replace(held, run, []);
    for (const { backup } of run.files) if (backup !== null) rmSync(join(this.#dir, backup), { force: true });
  }

  /** Removes the journal and all backups. `_held` proves that the caller holds the lock of the state directory. */
  remove(_held: HeldState): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
