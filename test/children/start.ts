// Real processes and real folders for tests. Children import modules of build/, which `npm test` makes first.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A folder of the running test, gone when it is finished. */
export const scratch = (): string => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'colibri-store-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Starts a script of this folder; it is killed when the running test is finished, if it still lives. */
export const startChild = (script: string, args: readonly string[], uid?: number): ChildProcess => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const identity = uid === undefined ? {} : { uid, gid: uid };
  const child = fork(path, [...args], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...identity });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

/** The next message of a child. */
export const heard = async <T>(child: ChildProcess): Promise<T> => {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(20_000) });
  return message as T;
};
