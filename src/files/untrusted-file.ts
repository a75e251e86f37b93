// Reads a file that somebody else may have put there: a repository can ship links, pipes and endless files under the names that Colibri
// looks for. Reading does not block, does not follow a link out of the folder, and stops at a limit.
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, type Stats } from 'node:fs';
import { sep } from 'node:path';
import { quietly, systemCode } from '../errors.js';

/** Why a file is not read, in words for a person: `it is a pipe, not a file`. */
export class FileRefused extends Error {}

/** Flags for opening an untrusted file: its path must not end in a symbolic link, a pipe must not block, a terminal must not become the process's own. */
export const UNTRUSTED_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

type Kind = Pick<Stats, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSocket'>;

const kindOf = (stats: Kind): string => {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
};

/** The path of an open file as the Linux kernel reports it; undefined on other systems, where the checks before opening have to suffice. */
const placeOf = (fd: number): string | undefined => {
  if (process.platform !== 'linux') return undefined;
  return quietly(() => readlinkSync(`/proc/self/fd/${fd}`)); // some containers have no /proc
};

/** Throws unless an open file is a regular file at the expected path: a folder on the way may have been replaced by a link meanwhile. */
export const assertOpened = (fd: number, stats: Kind, real: string): void => {
  if (!stats.isFile()) throw new FileRefused(`it is ${kindOf(stats)}, not a file`);
  const place = placeOf(fd);
  if (place !== undefined && place !== real) throw new FileRefused('it was moved while it was opened');
};

export const isInside = (real: string, folder: string): boolean =>
  real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);

export interface ReadBounds {
  readonly maxBytes: number;
  /** The folder below which links in the path must lead. Left out for a user's own files. */
  readonly within?: string | undefined;
}

/** Reads an open file, up to one byte more than `max`, so that the caller sees whether the file is longer. */
const readUpTo = (fd: number, max: number): Buffer => {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length <= max) {
    const piece = Buffer.allocUnsafe(Math.min(64 * 1024, max + 1 - length));
    const read = readSync(fd, piece, 0, piece.length, null);
    if (read === 0) break;
    pieces.push(piece.subarray(0, read));
    length += read;
  }
  return Buffer.concat(pieces, length);
};

/** System errors which mean that a path cannot be opened as a file, and the sentence for each. */
const REFUSALS: Readonly<Record<string, string>> = {
  ELOOP: 'its symbolic links lead nowhere',
  ENXIO: 'it is a socket or a device, not a file',
};

/** The bytes of an untrusted file, read once. Throws FileRefused, or what the system threw (`ENOENT`, `EACCES` …). */
export const readUntrusted = (file: string, { maxBytes, within }: ReadBounds): Buffer => {
  try {
    const real = realpathSync(file);
    if (within !== undefined && !isInside(real, realpathSync(within)))
      throw new FileRefused('a symbolic link leads out of the project');
    const fd = openSync(real, UNTRUSTED_FLAGS);
    try {
      assertOpened(fd, fstatSync(fd), real);
      const bytes = readUpTo(fd, maxBytes);
      const [size, unit] = maxBytes >= 1024 ** 2 ? [maxBytes / 1024 ** 2, 'MiB'] : [maxBytes / 1024, 'KiB'];
      if (bytes.length > maxBytes) throw new FileRefused(`it is larger than ${size} ${unit}`);
      return bytes;
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    const reason = REFUSALS[String(systemCode(thrown))];
    throw reason === undefined ? thrown : new FileRefused(reason);
  }
};
