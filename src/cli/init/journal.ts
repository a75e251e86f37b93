// What init has changed, so that it can be taken back: in the state directory, readable by its owner alone, because the files of clients
// hold secrets. A run is written down before its first change and says for each file what it was and what it was to become.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientId, ServersAt } from '../../clients/client.js';
import type { ServerEdit } from '../../clients/servers-text.js';
import { type HeldState, replaceHeld } from '../../files/held-file.js';
import { wrong } from '../target.js';

/** How a change is taken back where the file has been changed by others since. */
export type Inverse =
  | {
      readonly kind: 'servers';
      readonly format: ServersAt['format'];
      readonly edits: readonly ServerEdit[];
      /** Whose file it is; absent: ours. */
      readonly client?: ClientId;
    }
  /** The part between our marks; `was`: what stood there before. */
  | { readonly kind: 'block'; readonly was?: string }
  /** A file that we made and that nobody has to change. */
  | { readonly kind: 'file' };

export interface WrittenFile {
  readonly file: string;
  /** For a person: whose file, which part. */
  readonly what: string;
  /** SHA-256 of the text; null: there was no file. */
  readonly before: string | null;
  /** Null where a client's own command wrote it and it was not looked at afterwards. */
  readonly after: string | null;
  /** The name of the copy; null: there was no file. */
  readonly backup: string | null;
  readonly inverse: Inverse;
}

export interface InitRun {
  readonly id: string;
  readonly at: string;
  readonly project: string | null;
  readonly files: readonly WrittenFile[];
  /** Folders that were made, the outermost first. */
  readonly folders: readonly string[];
  /** Digests of connections that were not approved before. */
  readonly approvals: readonly string[];
  /** Names in the secrets file that the moved servers ask for. */
  readonly secrets: readonly string[];
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const isRun = (value: unknown): value is InitRun =>
  typeof value === 'object' &&
  value !== null &&
  Array.isArray((value as InitRun).files) &&
  typeof (value as InitRun).id === 'string';

/** What the file holds. */
interface Known {
  readonly runs: readonly InitRun[];
  /** Those that had a folder of ours when the file was written. */
  readonly projects: readonly string[];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

export const journalDir = (stateDir: string): string => join(stateDir, 'init');

export class Journal {
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#dir = journalDir(stateDir);
  }

  get #file(): string {
    return join(this.#dir, 'journal.json');
  }

  /** The oldest first. */
  runs(): readonly InitRun[] {
    return this.#read().runs;
  }

  /** Folders of projects that init was run in. One whose runs were all taken back may still have a store. */
  projects(): readonly string[] {
    const { runs, projects } = this.#read();
    return [...new Set([...projects, ...runs.map(({ project }) => project)].filter((dir) => dir !== null))];
  }

  /** One that cannot be read is not taken for an empty one: it would be written over. */
  #read(): Known {
    let text: string;
    try {
      text = readFileSync(this.#file, 'utf8');
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return { runs: [], projects: [] };
      throw wrong(`${this.#file} cannot be read.`, 'Nothing was changed.');
    }
    try {
      const { runs, projects = [] } = JSON.parse(text) as { runs: unknown; projects?: unknown };
      if (Array.isArray(runs) && runs.every(isRun) && isTexts(projects)) return { runs, projects };
    } catch {
      // told below
    }
    throw wrong(
      `${this.#file} is damaged.`,
      'Nothing was changed; move it away if you do not need to take anything back.',
    );
  }

  #replace(held: HeldState, runs: readonly InitRun[]): void {
    const projects = this.projects().filter((dir) => existsSync(join(dir, '.colibri')));
    this.#write(held, this.#file, `${JSON.stringify({ version: 1, runs, projects }, undefined, 2)}\n`);
  }

  #write(held: HeldState, file: string, text: string): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    replaceHeld(held, file, (fd) => writeFileSync(fd, text));
  }

  /** Keeps the text for as long as the run is known. */
  keep(held: HeldState, text: string): string {
    const name = `${randomUUID()}.backup`;
    this.#write(held, join(this.#dir, name), text);
    return name;
  }

  backup(name: string): string {
    return readFileSync(join(this.#dir, name), 'utf8');
  }

  /** Adds the run, or replaces what was known of it. */
  put(held: HeldState, run: InitRun): void {
    const others = this.runs().filter(({ id }) => id !== run.id);
    this.#replace(held, [...others, run]);
  }

  /** Forgets a run that has been taken back, and its copies; not which project it was in. */
  drop(held: HeldState, run: InitRun): void {
    this.#replace(
      held,
      this.runs().filter(({ id }) => id !== run.id),
    );
    for (const { backup } of run.files) if (backup !== null) rmSync(join(this.#dir, backup), { force: true });
  }

  /** Everything, copies too. The lock shows that nobody is writing to it. */
  remove(_held: HeldState): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
