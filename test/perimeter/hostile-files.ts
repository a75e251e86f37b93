// Things that a repository or an archive can hold under the name of a file that Colibri reads.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const MIB = 1024 ** 2;

/** A file with a hole: as large as it says, and takes no room. */
const sparse = (path: string, bytes: number): void => {
  fs.writeFileSync(path, '');
  fs.truncateSync(path, bytes);
};

const SECRET = '{"mcpServers": {"stolen": {"command": "true"}}}';

const outside = (path: string): string => {
  const file = `${dirname(dirname(path))}-outside.json`;
  fs.writeFileSync(file, SECRET);
  return file;
};

/** Each with what is said of it. `path` is a file in a folder of the project. */
export const HOSTILE: Readonly<Record<string, readonly [make: (path: string) => void, reason: RegExp]>> = {
  'a pipe': [(path) => void execFileSync('mkfifo', [path]), /it is a pipe, not a file/],
  'a folder': [(path) => fs.mkdirSync(path), /it is a folder, not a file/],
  'a link to an endless device': [(path) => fs.symlinkSync('/dev/zero', path), /leads out of the project/],
  'a link to a random device': [(path) => fs.symlinkSync('/dev/urandom', path), /leads out of the project/],
  'a link to a file of the system': [(path) => fs.symlinkSync('/proc/self/environ', path), /leads out of the project/],
  'a link to a file beside the project': [(path) => fs.symlinkSync(outside(path), path), /leads out of the project/],
  'a link with .. in it': [
    (path) => {
      const file = outside(path);
      fs.symlinkSync(join('..', '.colibri', '..', '..', file.slice(dirname(file).length + 1)), path);
    },
    /leads out of the project/,
  ],
  'a chain of links': [
    (path) => {
      fs.symlinkSync(outside(path), `${path}.2`);
      fs.symlinkSync(`${path}.2`, `${path}.1`);
      fs.symlinkSync(`${path}.1`, path);
    },
    /leads out of the project/,
  ],
  'a link in a circle': [(path) => fs.symlinkSync(path, path), /links lead nowhere|no such file/],
  'a link to a pipe in the project': [
    (path) => {
      execFileSync('mkfifo', [`${path}.pipe`]);
      fs.symlinkSync(`${path}.pipe`, path);
    },
    /it is a pipe, not a file/,
  ],
  'a huge file': [(path) => sparse(path, 40 * 1024 * MIB), /it is larger than 16 MiB/],
  'a file one byte too large': [(path) => sparse(path, 16 * MIB + 1), /it is larger than 16 MiB/],
};

/** A socket stays while the returned server is open. */
export const makeSocket = async (path: string): Promise<() => void> => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return () => server.close();
};
