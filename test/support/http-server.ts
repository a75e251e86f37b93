// Starts an HTTP server of test/servers/ as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { type LinkPlace, serverFile } from './dial.js';

export interface HttpFake {
  readonly url: string;
  /** Asks the server for something beside the protocol. */
  tell(path: string): Promise<void>;
  stop(): Promise<void>;
}

const portOf = async (child: ChildProcess): Promise<number> => {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    const found = /port (\d+)/.exec(text);
    if (found) return Number(found[1]);
  }
  throw new Error(`no port: ${text}`);
};

export const httpFake = async (
  { logFile }: Pick<LinkPlace, 'logFile'>,
  name: string,
  env: Record<string, string> = {},
): Promise<HttpFake> => {
  const child = spawn(process.execPath, [serverFile(name)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH ?? '', LOG: logFile, ...env },
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  const origin = `http://127.0.0.1:${await portOf(child)}`;
  return {
    url: `${origin}/mcp`,
    tell: async (path) => void (await (await fetch(`${origin}/${path}`)).text()),
    stop,
  };
};
