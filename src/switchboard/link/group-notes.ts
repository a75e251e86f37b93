// Notes in a file in the state directory which process groups this process has started. If this process and its watchdog both die, the
// next process finds the note and ends what is left (orphans.ts).
import { randomBytes } from 'node:crypto';
import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/whole-file.js';
import { thisMachine } from '../../start/machine.js';
import { groupNotesDir } from '../config/place.js';
import type { ProcessTable } from './process-table.js';

export interface GroupNote {
  /** Where its process numbers are valid: see whereNumbersCount. */
  readonly machine: string;
  readonly owner: { readonly pid: number; readonly start: string };
  readonly groups: readonly NotedGroup[];
}

export interface NotedGroup {
  /** Also the number of its leader, the process that we started. */
  readonly pgid: number;
  /** When the leader started; null: it had ended before we could look. */
  readonly start: string | null;
  /** A random text in the environment of the leader and of all that it has started. */
  readonly mark: string | null;
}

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // only Linux has more than one
  }
};

/** A process number means the same process only where this text is the same: on one machine since its boot, in one container. */
export const whereNumbersCount = (): string => {
  const { node, machineBoot } = thisMachine();
  return [machineBoot ?? node, pidNamespace()].join(' ');
};

export interface NotesOptions {
  readonly stateDir: string;
  readonly table: ProcessTable;
  readonly warn: (message: string) => void;
}

export class GroupNotes {
  readonly #options: NotesOptions;
  readonly #file: string;
  readonly #groups = new Map<number, NotedGroup>();
  #machine: string | undefined;
  /** When this process started. */
  #own: string | undefined;
  #hasWarned = false;

  constructor(options: NotesOptions) {
    this.#options = options;
    this.#file = join(groupNotesDir(options.stateDir), `${randomBytes(8).toString('hex')}.json`);
  }

  /** The caller does not wait for it: a server that cannot be noted is started all the same. */
  async add(pgid: number, mark: string | null = null): Promise<void> {
    this.#groups.set(pgid, { pgid, start: null, mark });
    const { table } = this.#options;
    const [start = null, own] = await Promise.all([table.startOf(pgid), table.startOf(process.pid)]);
    this.#own ??= own;
    if (!this.#groups.has(pgid)) return;
    this.#groups.set(pgid, { pgid, start, mark });
    this.#write();
  }

  remove(pgid: number): void {
    if (this.#groups.delete(pgid)) this.#write();
  }

  #write(): void {
    // Without our own start time nobody could tell whether the owner of the note still lives.
    if (this.#own === undefined) return;
    try {
      if (this.#groups.size === 0) rmSync(this.#file, { force: true });
      else replaceFile(this.#file, JSON.stringify(this.#note(this.#own)));
    } catch (thrown) {
      if (!this.#hasWarned)
        this.#options.warn(`running servers could not be noted for the next start: ${String(thrown)}`);
      this.#hasWarned = true;
    }
  }

  #note(start: string): GroupNote {
    this.#machine ??= whereNumbersCount();
    return { machine: this.#machine, owner: { pid: process.pid, start }, groups: [...this.#groups.values()] };
  }
}
