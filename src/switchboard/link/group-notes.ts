// Writes to a file in the state directory (the note) which process groups this Colibri process has started. If this process and its watchdog
// both die, the next Colibri process reads the note and ends the groups that are left (orphans.ts).

import { randomBytes } from 'node:crypto';
import { readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { replaceFile } from '../../files/whole-file.js';
import { thisMachine } from '../../start/machine.js';
import { groupNotesDir } from '../config/place.js';
import type { ProcessTable } from './process-table.js';

export interface GroupNote {
  /** Identifies the machine, boot and container in which the process numbers of this note (a file) are valid: see whereNumbersCount. */
  readonly machine: string;
  readonly owner: { readonly pid: number; readonly start: string };
  readonly groups: readonly NotedGroup[];
}

export interface NotedGroup {
  /** The number of the process group, and of its leader, the process that Colibri started. */
  readonly pgid: number;
  /** When the group's leader started; null: the leader had ended before its start time was read. */
  readonly start: string | null;
  /** A random text in the environment of the group's leader and of all processes that the leader has started. */
  readonly mark: string | null;
}

/** The name of this process's PID namespace on Linux; empty on other systems, which have only one. */
const pidNamespace = (): string => quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '';

/** A text that identifies this machine, its current boot and this container: only there does a process number mean the same process. */
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
  /** When this Colibri process started. */
  #own: string | undefined;
  #hasWarned = false;

  constructor(options: NotesOptions) {
    this.#options = options;
    this.#file = join(groupNotesDir(options.stateDir), `${randomBytes(8).toString('hex')}.json`);
  }

  /** Writes a process group to this process's file of groups. The caller does not wait: if writing fails, the server is started all the same. */
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
    // Without the start time of this process, a later process could not tell whether the process that wrote the note still lives.
    if (this.#own === undefined) return;
    try {
      if (this.#groups.size === 0) rmSync(this.#file, { force: true });
      else {
        this.#machine ??= whereNumbersCount();
        const owner = { pid: process.pid, start: this.#own };
        const note: GroupNote = { machine: this.#machine, owner, groups: [...this.#groups.values()] };
        replaceFile(this.#file, JSON.stringify(note));
      }
    } catch (thrown) {
      if (!this.#hasWarned)
        this.#options.warn(`running servers could not be noted for the next start: ${String(thrown)}`);
      this.#hasWarned = true;
    }
  }
}
