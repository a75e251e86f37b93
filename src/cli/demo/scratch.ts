// The scratch folder of the demo, with its own home folder, so that the demo's processes use neither the settings nor the files of
// the user.
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { CLI_LIMITS } from '../limits.js';

/** The path of the `colibri` program that runs the demo. */
export const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** The name of the demo's project and of its folder. */
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
  /** The promise of the command that was started last; the command may still be running. */
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

  /** The path where `serve` creates the demo's store. */
  get store(): string {
    return join(this.project, '.colibri', 'colibri.db');
  }

  /** The home folder of a person who has none of Colibri's files. */
  get stranger(): string {
    return join(this.folder, 'stranger');
  }

  in(name: string): string {
    return join(this.folder, name);
  }

  /** The minimal environment variables of a process, with a home and a temporary folder of the demo. */
  environment(home = this.home): Record<string, string> {
    return { ...getDefaultEnvironment(), HOME: home, TMPDIR: join(this.folder, 'tmp') };
  }

  /** Runs a `colibri` command as a person would type it. */
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

  /** Removes the scratch folder. Throws if that fails, so that the demo does not say that the folder is gone. */
  async remove(): Promise<void> {
    await this.#last;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: CLI_LIMITS.demoRemoveTries });
  }
}
