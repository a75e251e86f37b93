// A built process with a switchboard: its file, the real servers behind it, and what is left of them.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Place } from '../process.js';

const require = createRequire(import.meta.url);

const official = (name: string): string => {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist', 'index.js');
};

const fake = (name: string): string => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

export type ServerEntry = Record<string, unknown>;

export const everything = (): ServerEntry => ({ command: 'node', args: [official('server-everything'), 'stdio'] });

export const memory = (place: Place): ServerEntry => ({
  command: 'node',
  args: [official('server-memory')],
  env: { MEMORY_FILE_PATH: join(place.dir, 'memory.jsonl') },
});

export const files = (place: Place): ServerEntry => ({
  command: 'node',
  args: [official('server-filesystem'), place.dir],
});

export const fakeServer = (name: string, env: Record<string, string> = {}): ServerEntry => ({
  command: 'node',
  args: [fake(name)],
  env,
});

/** Written as the user's own file, which needs no consent. */
export const writeBoard = (place: Place, servers: Record<string, ServerEntry>, more: object = {}): string => {
  const file = join(place.dir, 'switchboard.json');
  fs.writeFileSync(file, JSON.stringify({ ...more, mcpServers: servers }));
  place.env.COLIBRI_SWITCHBOARD = file;
  return file;
};

/** Processes whose command line holds the text, without those that ask. */
export const processesWith = (text: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(text) && !/\bps -eo\b/.test(line))
    .map((line) => Number.parseInt(line, 10));

/** Children, and theirs, of a process. */
export const descendants = (pid: number): number[] => {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    rows.filter(([, ppid]) => ppid === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return below(pid);
};

/** The process of a server, by what stands on its command line, among the children of one of ours. */
export const serverPid = (pid: number, text: string): number => {
  const found = processesWith(text).find((one) => descendants(pid).includes(one));
  if (found === undefined) throw new Error(`no process with ${text} below ${pid}`);
  return found;
};

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

export const eventually = async (what: string, seen: () => boolean | Promise<boolean>, patienceMs = 10_000) => {
  const until = Date.now() + patienceMs;
  while (!(await seen())) {
    if (Date.now() > until) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};
