// The folder in which the demo happens, with a home of its own: neither the user's settings nor the user's files are
// reachable from what is started in it.
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { CLI_LIMITS } from '../limits.js';

/** `colibri` itself, as the demo was started. */
export const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** The project's name is the folder's. */
const PROJECT = 'shop';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const codeOf = (error: ExecFileException | null): number => {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : -1;
};

export class Scratch {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-demo-')));
  readonly #interrupted: AbortSignal;
  /** The command that runs, if one does. */
  #last: Promise<unknown> | undefined;

  constructor(interrupted: AbortSignal) {
    this.#interrupted = interrupted;
    for (const folder of [this.home, this.stranger, join(this.folder, 'tmp'), join(this.project, '.colibri')])
      mkdirSync(folder, { recursive: true });
  }

  get home(): string {
    return join(this.folder, 'home');
  }

  get project(): string {
    return join(this.folder, PROJECT);
  }

  /** Where `serve` puts it by its own rule. */
  get store(): string {
    return join(this.project, '.colibri', 'colibri.db');
  }

  /** The home of somebody who has nothing of ours. */
  get stranger(): string {
    return join(this.folder, 'stranger');
  }

  in(name: string): string {
    return join(this.folder, name);
  }

  /** What a process needs to run at all, and homes that are not the user's. */
  environment(home = this.home): Record<string, string> {
    return { ...getDefaultEnvironment(), HOME: home, TMPDIR: join(this.folder, 'tmp') };
  }

  /** A `colibri` command as a person would type it. */
  colibri(args: readonly string[], home = this.home): Promise<Ran> {
    const cwd = home === this.home ? this.project : home;
    const options = { cwd, env: this.environment(home), signal: this.#interrupted };
    const running = new Promise<Ran>((resolve) => {
      execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
        resolve({ code: codeOf(error), stdout, stderr }),
      );
    });
    this.#last = running;
    return running;
  }

  /** Throws where it cannot be removed: nobody is told that it is gone. */
  async remove(): Promise<void> {
    await this.#last;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: CLI_LIMITS.demoRemoveTries });
  }
}
