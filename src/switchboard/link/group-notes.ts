// The second net under our servers: which process groups this process leads is noted in a file of its own in the state
// directory. Should it die, and its watchdog with it, the next process finds the note and ends what is left (orphans.ts).
import { randomBytes } from 'node:crypto';
import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/whole-file.js';
import { thisMachine } from '../../start/machine.js';
import { groupNotesDir } from '../config/place.js';
import type { ProcessTable } from './process-table.js';

export interface GroupNote {
  /** Where its numbers mean something. */
  readonly machine: string;
  readonly owner: { readonly pid: number; readonly start: string };
  readonly groups: readonly NotedGroup[];
}

export interface NotedGroup {
  /** Also the number of the process that leads it. */
  readonly pgid: number;
  /** Of the leader; null: it had ended before we could look. */
  readonly start: string | null;
  /** In the environment of all that the leader has started. */
  readonly mark: string | null;
}

const numberSpace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return ''; // only Linux has more than one
  }
};

/** What must be the same for a process number to mean the same: the machine since it was started, and the container. */
export const whereNumbersCount = (): string => {
  const { node, machineBoot } = thisMachine();
  return [machineBoot ?? node, numberSpace()].join(' ');
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

  /** Nobody waits for it: a server that cannot be noted is started all the same. */
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
    // Who cannot say which process wrote it must not leave a note.
    if (this.#own === undefined) return;
    try {
      if (this.#groups.size === 0) rmSync(this.#file, { force: true });
      else replaceFile(this.#file, JSON.stringify(this.#note(this.#own)));
    } catch (thrown) {
      if (!this.#hasWarned) this.#options.warn(`servers are not noted for the next start: ${String(thrown)}`);
      this.#hasWarned = true;
    }
  }

  #note(start: string): GroupNote {
    this.#machine ??= whereNumbersCount();
    return { machine: this.#machine, owner: { pid: process.pid, start }, groups: [...this.#groups.values()] };
  }
}
