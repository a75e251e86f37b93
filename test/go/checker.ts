// Builds the Go program and asks it for verdicts, many in one process.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = new URL('.', import.meta.url).pathname;
/** Where Debian puts the sources of Go libraries. */
const DEBIAN_GOPATH = '/usr/share/gocode';

/** What is not there, in words for whoever can install it; nothing where all is. */
export const missingGo = (): string | undefined => {
  const hasGo = spawnSync('go', ['version']).status === 0;
  if (hasGo && existsSync(join(DEBIAN_GOPATH, 'src/golang.org/x/mod/sumdb/tlog'))) return undefined;
  return 'Go is missing: apt-get install golang-go golang-golang-x-mod-dev';
};

/** GOPATH mode: Debian's libraries are no modules, and nothing may be fetched. No C: a bare machine has no compiler. */
export const buildChecker = (folder: string): string => {
  const binary = join(folder, 'colibri-check');
  const settings = { GO111MODULE: 'off', GOPATH: DEBIAN_GOPATH, GOFLAGS: '', GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
  execFileSync('go', ['build', '-o', binary, '.'], { cwd: FOLDER, env: { ...process.env, ...settings } });
  return binary;
};

export type Check = 'check-checkpoint' | 'check-proof' | 'check-consistency';

export interface Checker {
  readonly binary: string;
  readonly vkey: string;
}

/** One verdict for each case; a case is the bytes of one file, or of two. */
export const verdicts = (
  { binary, vkey }: Checker,
  check: Check,
  cases: readonly (readonly Buffer[])[],
  options: readonly string[] = [],
): string[] => {
  const input = cases.map((files) => `${files.map((file) => file.toString('base64')).join(' ')}\n`).join('');
  const { status, stdout, stderr } = spawnSync(binary, [check, ...options, vkey], {
    input,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0 && status !== 1) throw new Error(`${check} ended with ${status}: ${stderr}`);
  return stdout.split('\n').slice(0, -1);
};
