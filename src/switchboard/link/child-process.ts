// Starts a server's process in a process group of its own, and ends the process together with all of its children.

import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import spawn from 'cross-spawn';
import { MARK_NAME } from '../../config.js';
import { within } from '../../core/clock.js';
import { asError, quietly } from '../../errors.js';
import { ignoreErrors } from '../../wire/console.js';
import type { StdioConnection } from '../config/connection.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { ServerOutput } from '../logs/server-output.js';
import { Tail } from './child-tail.js';
import type { Watchdog } from './watchdog.js';

type Command = Pick<StdioConnection, 'command' | 'args' | 'cwd' | 'env'>;

const isPosix = process.platform !== 'win32';

/** Starts a server's process. Resolves with the process once it runs, or with the error why it does not. */
export const childProcess = async (command: Command, watchdog: Watchdog): Promise<ServerProcess | Error> => {
  let child: ChildProcess;
  const mark = watchdog.expect();
  if (mark === undefined) return new Error('Colibri is shutting down and starts no more servers');
  try {
    child = spawn(command.command, [...command.args], {
      cwd: command.cwd,
      env: { ...command.env, [MARK_NAME]: mark },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: isPosix,
      windowsHide: true,
    });
  } catch (thrown) {
    watchdog.unexpect(mark);
    return asError(thrown);
  }
  if (!isStarted(child)) {
    watchdog.unexpect(mark);
    return whyNot(child, command);
  }
  watchdog.add(child.pid, mark);
  return new ServerProcess(child, watchdog);
};

type Started = ChildProcessWithoutNullStreams & { readonly pid: number };

const isStarted = (child: ChildProcess): child is Started =>
  child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;

const whyNot = async (child: ChildProcess, { command, cwd }: Command): Promise<Error> => {
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve));
  if (error.code !== 'ENOENT') return error;
  return new Error(
    existsSync(cwd) ? `the command "${command}" was not found` : `the working directory "${cwd}" does not exist`,
  );
};

/** The process of a server. It is the leader of a process group of its own, and its stdin, stdout and stderr are pipes. */
export class ServerProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Tail;
  /** Resolves with a description of the process's end when the process is gone; its children may still run. */
  readonly exited: Promise<string>;
  /** Resolves when the process is gone and all its output has been read. */
  readonly silent: Promise<void>;
  readonly #child: ChildProcess;
  readonly #watchdog: Watchdog;
  #ending: Promise<void> | undefined;

  constructor(child: Started, watchdog: Watchdog) {
    this.pid = child.pid;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = new Tail(child.stderr, SWITCHBOARD_LIMITS.serverStderrBytes);
    this.#child = child;
    this.#watchdog = watchdog;
    ignoreErrors(this.stdin);
    ignoreErrors(this.stdout);
    // Once a process has started, its event 'error' means only that a signal could not be sent; `end` notices that without the event.
    child.on('error', () => {});
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `exited with code ${code}` : `was ended by ${signal}`),
      );
    });
    this.silent = new Promise((resolve) => void child.once('close', () => resolve()));
  }

  /** Gives the output on stderr to a log, too. To be called in the turn of the event loop in which the process was started. */
  logTo(log: Pick<ServerOutput, 'take' | 'end'> | undefined): void {
    if (log === undefined) return;
    this.#child.stderr?.on('data', (chunk: Buffer) => log.take(chunk)).once('close', () => log.end());
  }

  /** Whether the process was ended by a signal. */
  get isKilled(): boolean {
    return this.#child.signalCode !== null;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Ends the process: closes stdin, waits, sends SIGTERM to the whole process group, waits, sends SIGKILL. If `hurried` is true, the first
   * wait is skipped: the server never began to serve. The promise never rejects; a second call waits for the first.
   */
  end(hurried = false): Promise<void> {
    this.#ending ??= this.#end(hurried);
    return this.#ending;
  }

  async #end(hurried: boolean): Promise<void> {
    this.stdin.end();
    if (!hurried) await within(this.exited, SWITCHBOARD_LIMITS.serverEndStepMs);
    if (!(await this.#isGone(0))) {
      this.#signal('SIGTERM');
      if (!(await this.#isGone(SWITCHBOARD_LIMITS.serverEndStepMs))) {
        this.#signal('SIGKILL');
        await this.#isGone(SWITCHBOARD_LIMITS.killedMs);
      }
    }
    this.#watchdog.remove(this.pid);
    // Our ends of the pipes must not keep Colibri's process alive if a grandchild that left the process group holds the other ends.
    this.stdin.destroy();
    this.stdout.destroy();
    this.#child.stderr?.destroy();
  }

  /** Waits at most `patienceMs` until no process of the group is left; resolves with false if one is left then. */
  async #isGone(patienceMs: number): Promise<boolean> {
    for (let waitedMs = 0; this.isRunning || this.#signal(0); waitedMs += SWITCHBOARD_LIMITS.groupLookMs) {
      if (waitedMs >= patienceMs) return false;
      await sleep(SWITCHBOARD_LIMITS.groupLookMs);
    }
    return true;
  }

  /** Sends a signal to the process group; false if none of its processes is left. While one lives, the group's number is not reused. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    return quietly(() => (isPosix ? process.kill(-this.pid, signal) : this.#child.kill(signal))) ?? false;
  }
}
