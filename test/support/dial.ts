// Opens connections to servers in a folder of their own, with everything that needs from outside. Whatever a test opens is
// closed with it.

import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { StdioConnection } from '../../src/switchboard/config/connection.js';
import { type Account, forPeople } from '../../src/switchboard/health/state.js';
import { dialFor } from '../../src/switchboard/link/dial.js';
import type { DialDeps } from '../../src/switchboard/link/dial-try.js';
import type { EraMemory, EraVerdict } from '../../src/switchboard/link/era.js';
import type { Dial, DialEnd, DialRequest, Link, LinkAnswer } from '../../src/switchboard/link/link.js';
import { Watchdog } from '../../src/switchboard/link/watchdog.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const serverFile = (name: string): string => join(ROOT, 'test', 'servers', `${name}.mjs`);
export const binary = (name: string): string => join(ROOT, 'node_modules', '.bin', name);

export class Eras implements EraMemory {
  readonly verdicts = new Map<string, EraVerdict>();
  get(digest: string): EraVerdict | undefined {
    return this.verdicts.get(digest);
  }
  set(digest: string, verdict: EraVerdict): void {
    this.verdicts.set(digest, verdict);
  }
  delete(digest: string): void {
    this.verdicts.delete(digest);
  }
}

/** What a link told, in order. */
export interface Told {
  readonly lost: string[];
  changed: number;
  readonly notified: object[];
}

export interface Dialled {
  readonly end: DialEnd;
  readonly told: Told;
}

export interface LinkPlace {
  readonly dir: string;
  /** Where the servers of test/servers/ write what they see. */
  readonly logFile: string;
  readonly deps: DialDeps & { readonly eras: Eras };
  connection(command: string, args: readonly string[], env?: Record<string, string>): StdioConnection;
  stdio(command: string, args: readonly string[], env?: Record<string, string>): Dial;
  /** A server of test/servers/. */
  fake(name: string, ...args: string[]): Dial;
  http(url: string, headers?: Record<string, string>): Dial;
  dial(dial: Dial, choice?: Partial<DialRequest>): Promise<Dialled>;
  /** The link, or an error that says why there is none. */
  link(dial: Dial, choice?: Partial<DialRequest>): Promise<Link & { readonly told: Told }>;
  log(): string[];
}

type Finished = (clean: () => Promise<void>) => void;

export const linkPlace = (changes: Partial<DialDeps> = {}, finished: Finished = onTestFinished): LinkPlace => {
  const dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-link-')));
  const logFile = join(dir, 'log');
  const watchdog = new Watchdog();
  const deps = { ...depsFor(watchdog), ...changes } as LinkPlace['deps'];
  const links: Link[] = [];
  finished(async () => {
    await Promise.all(links.map((link) => link.close(false)));
    await watchdog.close();
    fs.rmSync(dir, { recursive: true, force: true });
  });
  const connectionTo: LinkPlace['connection'] = (command, args, env = {}) => {
    return { kind: 'stdio', command, args, env: { LOG: logFile, ...env }, cwd: dir, inheritEnv: 'minimal' };
  };
  const stdio: LinkPlace['stdio'] = (...words) => {
    const connection = connectionTo(...words);
    return dialFor({ connection, written: connection }, deps);
  };
  const dial: LinkPlace['dial'] = async (make, choice = {}) => {
    const told: Told = { lost: [], changed: 0, notified: [] };
    const events = {
      lost: (how: Account) => void told.lost.push(forPeople(how)),
      listChanged: () => void told.changed++,
      notified: (method: string, params: object) => void told.notified.push({ method, params }),
    };
    const never = new AbortController().signal;
    const end = await make({ dial: 1, events, signal: never, startTimeoutMs: 15_000, ...choice });
    if ('link' in end) links.push(end.link);
    return { end, told };
  };
  return {
    dir,
    logFile,
    deps,
    connection: connectionTo,
    stdio,
    fake: (name, ...args) => stdio(process.execPath, [serverFile(name), ...args]),
    http: (url, headers = {}) => {
      const connection = { kind: 'http' as const, url, headers };
      return dialFor({ connection, written: connection }, deps);
    },
    dial,
    link: async (make, choice) => {
      const { end, told } = await dial(make, choice);
      if (!('link' in end)) throw new Error(JSON.stringify(end));
      return Object.assign(end.link, { told });
    },
    log: () => (fs.existsSync(logFile) ? fs.readFileSync(logFile, 'utf8').trim().split('\n') : []),
  };
};

const depsFor = (watchdog: Watchdog): LinkPlace['deps'] => ({
  env: process.env,
  watchdog,
  eras: new Eras(),
  identity: { name: 'colibri', version: '0.0.0' },
  capabilities: () => ({}),
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
});

export const callTool = (
  link: Link,
  name: string,
  args: Record<string, unknown> = {},
  timeoutMs = 10_000,
): Promise<LinkAnswer> => link.request({ method: 'tools/call', params: { name, arguments: args }, timeoutMs });

/** The text of a result, or how it ended instead. */
export const textOf = ({ end }: LinkAnswer): string => {
  if (end.how !== 'response') return end.how;
  if ('error' in end) return `error ${end.error.code}: ${end.error.message}`;
  const [block] = ('large' in end ? end.large.whole() : end.result).content as { text: string }[];
  return block?.text ?? '';
};

/** Waits until it is so; rejects when it takes too long. */
export const until = async (isSo: () => boolean, patienceMs = 15_000): Promise<void> => {
  const end = performance.now() + patienceMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('waited in vain');
    await sleep(10);
  }
};
