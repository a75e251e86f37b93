// The package as others get it: packed and unpacked into the node_modules of an empty folder.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Packed {
  /** The empty folder. */
  readonly folder: string;
  /** The package in it. */
  readonly unpacked: string;
  remove(): void;
}

/** Packs the build that is there. */
export const packed = (): Packed => {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'colibri-pack-')));
  const unpacked = join(folder, 'node_modules', 'colibri');
  fs.mkdirSync(unpacked, { recursive: true });
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const name = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  execFileSync('tar', ['-xzf', join(folder, name.trim()), '-C', unpacked, '--strip-components=1']);
  return { folder, unpacked, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
};
