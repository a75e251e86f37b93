// Starts the command that Colibri's entry will contain, as a client would, and waits for the first responses. The command gets a
// throw-away store and no other servers, so it leaves nothing behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Launch } from '../../clients/client.js';
import type { Env } from '../../config.js';
import { within } from '../../core/within.js';
import { START_LIMITS } from '../../start/limits.js';
import { SWITCHBOARD_LIMITS } from '../../switchboard/limits.js';
import { CLI_LIMITS } from '../limits.js';
import { plain } from '../screen/print.js';
import { wrong } from '../target.js';

/** The environment variables that the strictest client passes on, plus those that make the start a trial. */
const environment = (launch: Launch, env: Env): Record<string, string> => {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'USER', 'SHELL'].flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    ...launch.env,
    COLIBRI_MODE: 'TEST',
    COLIBRI_DEPTH: String(SWITCHBOARD_LIMITS.nestedSwitchboards),
  };
};

interface Answer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text?: string }[] };
}

const parsed = (line: string): Answer => {
  try {
    return JSON.parse(line) as Answer;
  } catch {
    return {};
  }
};

class Trial {
  readonly #child: ChildProcess;
  readonly #answers = new Map<number, (answer: Answer | undefined) => void>();
  readonly ended: Promise<unknown>;
  stderr = '';

  constructor(launch: Launch, env: Env) {
    this.#child = spawn(launch.command, launch.args, { cwd: homedir(), env: environment(launch, env), stdio: 'pipe' });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', resolve).once('error', (thrown) => {
        this.stderr += thrown.message;
        resolve(undefined);
      });
    });
    this.#child.stdin?.on('error', () => {});
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    if (this.#child.stdout !== null) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const answer = parsed(line);
        this.#answers.get(answer.id ?? -1)?.(answer);
      });
    }
    void this.ended.then(() => this.#answers.forEach((take) => void take(undefined)));
  }

  request(id: number, method: string, params: object): Promise<Answer | undefined> {
    const answer = new Promise<Answer | undefined>((resolve) => this.#answers.set(id, resolve));
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return within(answer, CLI_LIMITS.initStartMs);
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await within(this.ended, START_LIMITS.closeGraceMs);
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}

const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'colibri-init', version: '1' },
};

const lastLine = (stderr: string): string => plain(stderr.trim().split('\n').at(-1) ?? '');

/** Starts the command; returns the milliseconds until the handshake was answered. Throws if it does not start: then no entry is written. */
export const measureStart = async (launch: Launch, env: Env): Promise<number> => {
  const began = performance.now();
  const trial = new Trial(launch, env);
  const refuse = (what: string): Error =>
    wrong(
      `${plain([launch.command, ...launch.args].join(' '))} ${what}: ${lastLine(trial.stderr)}`,
      'Nothing was changed.',
    );
  try {
    const hello = await trial.request(1, 'initialize', HELLO);
    const ms = Math.round(performance.now() - began);
    if (hello?.result === undefined) throw refuse('does not start');
    const list = await trial.request(2, 'tools/call', { name: 'task_list', arguments: {} });
    if (list?.result === undefined || list.result.isError === true) throw refuse('starts, but cannot open a store');
    return ms;
  } finally {
    await trial.end();
  }
};
