// The checks of files and folders: permissions, owners, free disk space, size of SQLite's write-ahead log.
import { type Stats, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { count } from '../../core/figures.js';
import { asError, quietly } from '../../errors.js';
import { keptJournals } from '../../ledger/calls/journal-folder.js';
import { CLI_LIMITS } from '../limits.js';
import { isWritable } from '../paths.js';
import { mayWrite, type StoreAt } from '../place.js';
import { bytesText } from '../screen/bytes.js';
import { type Check, type DoctorFinding, ok, problem, type Scene, warning } from './scene.js';

/** Mode bits: all permissions of group and others. */
const ANY = 0o077;
const WRITE = 0o022;

interface Guarded {
  readonly what: string;
  readonly path: string;
  /** Mode bits: the permissions that group and others must not have. */
  readonly forbidden: number;
  readonly asIfStolen?: true;
}

const guardedBy = (at: StoreAt): Guarded[] => [
  { what: 'the folder of the store', path: dirname(at.path), forbidden: WRITE },
  { what: 'the store', path: at.path, forbidden: ANY },
  { what: 'the state directory', path: at.config.directories.state, forbidden: WRITE },
  { what: 'the folder of keys', path: at.keysDir, forbidden: ANY },
  { what: 'the folder of heads', path: at.headsDir, forbidden: WRITE },
  ...(at.keyFile === undefined
    ? []
    : [{ what: 'the key', path: at.keyFile, forbidden: ANY, asIfStolen: true as const }]),
];

/** Tells of journals whose intents Colibri could not add to the ledger. */
export const journals: Check = ({ at }) => {
  const kept = at === undefined ? [] : keptJournals(at.journals.folderOf());
  if (kept.length === 0) return [];
  const message = `${count(kept.length, 'journal')} of processes that died could not be added to the ledger`;
  return [
    {
      ...warning(message, 'Look at the log file for the reason; then keep them elsewhere, or delete them.'),
      details: kept,
    },
  ];
};

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

const statsOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/** True if the path exists; false also if a folder above it may not be entered. */
const isThere = (path: string): boolean => quietly(() => statsOf(path)) !== undefined;

/** Findings about a wrong owner or wrong permissions of a file; none if the file does not exist. */
const rightsOf = (guarded: Guarded): DoctorFinding[] => {
  const { what, path } = guarded;
  try {
    const stats = statsOf(path);
    return stats === undefined || process.platform === 'win32'
      ? []
      : [...ownerOf(guarded, stats), ...modeOf(guarded, stats)];
  } catch (thrown) {
    return [problem(`${what} cannot be reached: ${asError(thrown).message}`, `Give this user access to ${path}.`)];
  }
};

const ownerOf = ({ what, path }: Guarded, { uid }: Stats): DoctorFinding[] => {
  const ours = [0, process.getuid?.()];
  if (ours[1] === 0 || ours.includes(uid)) return [];
  return [
    warning(
      `${what} belongs to another user: ${path}`,
      'Run this command as the owner of the path, or change the owner with chown.',
    ),
  ];
};

const modeOf = ({ what, path, forbidden, asIfStolen }: Guarded, { mode }: Stats): DoctorFinding[] => {
  if ((mode & forbidden) === 0) return [];
  const may = (mode & forbidden & WRITE) === 0 ? 'read' : 'write';
  const message = `others may ${may} ${what} (${octal(mode)}): ${path}`;
  const remedy = `chmod ${forbidden === ANY ? 'go-rwx' : 'go-w'} '${path}'`;
  if (asIfStolen)
    return [problem(message, `${remedy}; if somebody may have read the key: colibri checkpoint --rotate`)];
  return [warning(message, remedy)];
};

/** Findings about existing files that this user cannot write; missing files are created when needed. */
const unwritable = (at: StoreAt): DoctorFinding[] =>
  [dirname(at.path), at.path, at.keysDir, at.headsDir]
    .filter((path) => mayWrite(at) && isThere(path) && !isWritable(path))
    .map((path) =>
      problem(`this user cannot write ${path}`, `Give this user write access to ${path}, or configure another path.`),
    );

export const permissions: Check = ({ at }) => {
  if (at === undefined) return [];
  const found = [...guardedBy(at).flatMap(rightsOf), ...unwritable(at)];
  return found.length > 0 ? found : [ok('store, keys and heads are for this user alone')];
};

/** The path itself if it exists, else the nearest folder above that exists. */
const existing = (path: string): string => (statsOf(path) === undefined ? existing(dirname(path)) : path);

const roomIn = (path: string): number => {
  const { bavail, bsize } = statfsSync(existing(path));
  return bavail * bsize;
};

export const aboutDisk: Check = (scene) => {
  const folder = placeOf(scene);
  const free = roomIn(folder);
  const message = `${bytesText(free)} free at ${folder}`;
  const remedy = 'Free some space: a call that cannot be recorded is not run. `colibri prune` removes old arguments.';
  if (free < CLI_LIMITS.doctorNoDiskBytes) return [problem(message, remedy)];
  return [free < CLI_LIMITS.doctorLowDiskBytes ? warning(message, remedy) : ok(message)];
};

const placeOf = ({ at, config }: Scene): string => (at === undefined ? config.directories.data : dirname(at.path));

export const writeAheadLog: Check = ({ at }) => {
  if (at === undefined || !isThere(at.path)) return [];
  const size = statsOf(`${at.path}-wal`)?.size ?? 0;
  const message = size === 0 ? 'the write-ahead log is empty' : `the write-ahead log has ${bytesText(size)}`;
  return size <= CLI_LIMITS.doctorWalBytes
    ? [ok(message)]
    : [
        warning(
          message,
          'A process keeps SQLite from copying the write-ahead log back into the store: restart the servers that use this store.',
        ),
      ];
};

/** Findings about owner and permissions of the key that signs one log. */
export const keyRights = (at: StoreAt, log: string): DoctorFinding[] =>
  rightsOf({ what: 'the key', path: at.keyFile ?? join(at.keysDir, log), forbidden: ANY, asIfStolen: true });
