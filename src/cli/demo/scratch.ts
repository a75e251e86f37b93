// The scratch folder of the demo, with its own home folder, so that the demo's processes use neither the settings nor the files of
// the user.
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { bundledFile } from '../../core/installed.js';
import { CLI_LIMITS } from '../limits.js';
import type { KeptReceipt } from '../verify/receipts-file.js';

/** The path of the `colibri` program that runs the demo. */
export const MAIN = fileURLToPath(bundledFile('cli/main.js'));

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const codeOf = (error: ExecFileException | null): number => {
  if (error === null) return 0;
  return typeof error.code === 'number' ? error.code : -1;
};

const verdict = z.looseObject({
  valid: z.boolean(),
  record_count: z.int(),
  findings: z.array(z.looseObject({ where: z.looseObject({ id: z.string() }).partial(), message: z.string() })),
});
type StoreVerdict = z.infer<typeof verdict> & { readonly code: number };

export class Scratch {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-demo-')));
  readonly home = this.in('home');
  readonly project = this.in('shop');
  /** The path where `serve` creates the demo's store. */
  readonly store = join(this.project, '.colibri', 'colibri.db');
  /** The home folder of a person who has none of Colibri's files. */
  readonly stranger = this.in('stranger');
  readonly interrupted: AbortSignal;
  /** The promise of the command that was started last; the command may still be running. */
  #last: Promise<unknown> | undefined;

  constructor(interrupted: AbortSignal) {
    this.interrupted = interrupted;
    for (const folder of [this.home, this.stranger, this.in('tmp'), dirname(this.store)])
      mkdirSync(folder, { recursive: true });
  }

  in(name: string): string {
    return join(this.folder, name);
  }

  /** The minimal environment variables of a process, with a home and a temporary folder of the demo. */
  environment(home = this.home): Record<string, string> {
    return { ...getDefaultEnvironment(), HOME: home, TMPDIR: this.in('tmp') };
  }

  /** Runs a `colibri` command as a person would type it. */
  colibri(args: readonly string[], home = this.home): Promise<Ran> {
    const cwd = home === this.home ? this.project : home;
    const options = { cwd, env: this.environment(home), signal: this.interrupted };
    const running = new Promise<Ran>((resolve) => {
      execFile(process.execPath, [MAIN, ...args], options, (error, stdout, stderr) =>
        resolve({ code: codeOf(error), stdout, stderr }),
      );
    });
    this.#last = running;
    return running;
  }

  /** The verdict of `colibri verify --json`, and its exit code. */
  async verify(...options: readonly string[]): Promise<StoreVerdict> {
    const { code, stdout } = await this.colibri(['verify', ...options, '--json']);
    return { code, ...verdict.parse(JSON.parse(stdout || '{}')) };
  }

  /** Verifies the store against the receipts that the client kept. */
  verifyReceipts(receipts: readonly KeptReceipt[]): Promise<StoreVerdict> {
    const file = this.in('receipts.jsonl');
    writeFileSync(file, receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(''));
    return this.verify('--receipts', file);
  }

  /** Removes the scratch folder. Throws if that fails, so that the demo does not say that the folder is gone. */
  async remove(): Promise<void> {
    await this.#last;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: CLI_LIMITS.demoRemoveTries });
  }
}
