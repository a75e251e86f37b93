// Finds the clients' own programs: in the folders of CLIENT_PROGRAMS, on the PATH, or where `npm run clients` has put them. None is installed here.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const cached = (): readonly string[] => {
  const { CLIENTS_CACHE, XDG_CACHE_HOME } = process.env;
  const dir = CLIENTS_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'colibri-clients');
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.filter((name) => !name.includes('.tmp-')).map((name) => join(dir, name, 'node_modules', '.bin'));
};

const split = (list: string | undefined): readonly string[] => (list ?? '').split(delimiter).filter(Boolean);

/** Whether a program starts: some need a step after their installation that was not taken. */
const starts = (file: string): boolean => spawnSync(file, ['--version'], { timeout: 30_000 }).status === 0;

/** The path of the client's program; undefined if it is not on this machine. */
export const clientProgram = (name: string): string | undefined =>
  [...split(process.env.CLIENT_PROGRAMS), ...split(process.env.PATH), ...cached()]
    .map((dir) => join(dir, name))
    .find((file) => existsSync(file) && existsSync(realpathSync(file)) && starts(file));

export interface ProgramRun {
  readonly code: number | null;
  readonly out: string;
}

const MOST_MS = 120_000;

/** Runs a client's program; stdout and stderr together, without colours. */
export const runProgram = (
  file: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<ProgramRun> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, [...args], { cwd, env, timeout: MOST_MS, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (out += text));
    child.once('error', reject);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is removed
    child.once('close', (code) => resolve({ code, out: out.replaceAll(/\u001b\[[0-9;]*m/g, '') }));
  });
