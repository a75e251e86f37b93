// The command `colibri backup`: copies the store while servers run, verifies the copy and says how to restore it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { count } from '../../core/figures.js';
import { ColibriError } from '../../errors.js';
import { writeOnce } from '../../files/durable-file.js';
import { bindingOf } from '../../ledger/binding.js';
import { folderBeside, makeOwnFolder } from '../../store/sqlite/beside.js';
import { copyDatabase, stampOf } from '../../store/sqlite/chores.js';
import { spaceIn } from '../../store/sqlite/space.js';
import { headsOfFolder, type KnownNote } from '../../verify/heads/heads.js';
import { areOnOneDisk } from '../../verify/verdict/custody.js';
import type { Missing } from '../../verify/verdict/finding.js';
import type { Verdict } from '../../verify/verdict/verdict.js';
import { verifyStore } from '../../verify/verify.js';
import { assertThere, readingOnce, readingStore } from '../access.js';
import type { KnownInstance } from '../instances-repository.js';
import { CLI_LIMITS } from '../limits.js';
import { isFolder } from '../paths.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { openCalls, processesOf } from '../processes.js';
import { allLogs } from '../records/record-repository.js';
import { storeCommand } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { paint, plain, sayExactly, sayJson, tell, tellExactly } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { signFirst } from '../signing.js';
import { wrong } from '../target.js';
import { finishing, newFile } from '../unfinished-file.js';

const AFTER = `
Copies the store as it is at one moment, beside running servers, and verifies
the copy against the heads that were known before: the copy gets its name only
if nothing contradicts. No file is ever overwritten.

  colibri backup                 into the .backups folder beside the store
  colibri backup /mnt/usb/       into a folder, under a name with the time
  colibri backup monday.db       into that file
  colibri backup /mnt/usb/ --with-keys
                                 also the signing key and the heads, in a
                                 folder beside it

Keys and heads are not in a backup: whoever has the key can sign, and heads that
are restored together with the store cannot show that it went back.
Exit codes: 0 made and verified; 1 failed, and no copy is left.`;

interface BackupOptions extends PlaceOptions {
  readonly withKeys?: true;
}

/** The path of the backup file. Creates Colibri's own .backups folder if needed, but no folder that the user names. */
const fileFor = ({ path }: StoreAt, target: string | undefined): string => {
  const name = `${stampOf(Date.now())}.db`;
  if (target === undefined) {
    const folder = folderBeside(path, 'backups');
    makeOwnFolder(folder);
    return join(folder, `backup-${name}`); // copies that are made before upgrades have another prefix, by which old ones are found and removed
  }
  const given = resolve(target);
  return target.endsWith('/') || isFolder(given) ? join(given, `colibri-${name}`) : given;
};

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Copies the store. SQLite reports no progress, so the size of the copy is watched, with stat, which opens no file. */
const copy = async (from: string, to: string): Promise<void> => {
  const progress = progressOn(process.stderr, 'copying');
  const { bytes, free } = spaceIn(from);
  const timer = setInterval(() => progress.update(sizeOf(to), bytes - free), CLI_LIMITS.copyLookMs);
  await copyDatabase(from, to).finally(() => {
    clearInterval(timer);
    progress.end();
  });
};

const notVerified = ({ exit, findings, remarks }: Verdict): ColibriError => {
  const [first] = findings;
  const why = first === undefined ? remarks.join(' ') : `${first.kind}: ${first.message}`;
  return new ColibriError('STORE_CORRUPT', `The copy does not verify (${exit}) and was removed. ${why}`, {
    remedy: '`colibri verify` says what is wrong with the store.',
  });
};

const verify = async (path: string, heads: readonly KnownNote[], { keysDir, keyFile }: StoreAt): Promise<Verdict> => {
  const progress = progressOn(process.stderr, 'verifying');
  try {
    const notes = heads.map(({ note }) => note);
    const verdict = await verifyStore({
      path,
      scope: { kind: 'store' },
      keptHeads: notes,
      keys: { dir: keysDir, ...(keyFile !== undefined && { file: keyFile }) },
      onProgress: progress.update,
    });
    if (verdict.valid && verdict.complete) return verdict;
    throw notVerified(verdict);
  } finally {
    progress.end();
  }
};

/** Reads the signed heads of the logs before the copy is made: heads that a running server signs later cover later records. */
const knownHeads = (at: StoreAt, logs: readonly string[]): readonly KnownNote[] => {
  const { notes, unread } = headsOfFolder(at.headsDir, logs);
  for (const why of unread) tell(`colibri: ${plain(why)}`);
  return notes;
};

const isOpenCalls = ({ kind }: Missing): boolean => kind === 'open calls';

const openCallsText = (open: number, alive: number): string =>
  open === alive
    ? `${count(open, 'call was', 'calls were')} running when the copy was made: the outcome will be in the store, not in the copy.`
    : `${count(open, 'call has', 'calls have')} no outcome: ${alive} running when the copy was made, the rest belong to processes that are gone.`;

/** Says in the verdict about the copy how many of the copied calls without an outcome are still running in a living Colibri process. */
const withLiving = async (verdict: Verdict, copied: StoreAt, alive: readonly KnownInstance[]): Promise<Verdict> => {
  const open = verdict.missing.filter(isOpenCalls).reduce((sum, { count: calls = 0 }) => sum + calls, 0);
  if (open === 0) return verdict;
  const live = await readingOnce(copied, (tx) => openCalls(tx, alive, Number.POSITIVE_INFINITY));
  if (live === 0) return verdict;
  const told: Missing = { kind: 'open calls', count: open, message: openCallsText(open, live) };
  return { ...verdict, missing: [...verdict.missing.filter((one) => !isOpenCalls(one)), told] };
};

const make = async (at: StoreAt, file: string, withKeys: boolean) => {
  await signFirst(at);
  const { sizes, elsewhere, alive } = await readingStore(at, async (store) => ({
    sizes: new Map((await store.read(allLogs)).map(({ log_id, size }) => [log_id, size])),
    elsewhere: new Set((await store.read((tx) => bindingOf(tx, at.heads, at.site))).elsewhere),
    alive: (await processesOf(store)).alive,
  }));
  const logs = [...sizes.keys()];
  if (withKeys) assertNoKeyFolder(file);
  const heads = knownHeads(at, logs);
  // If the store is an accepted copy, another store continues its older logs and has signed more of them.
  const own = heads.filter(
    ({ named }) => !(named && elsewhere.has(named.log) && named.size > (sizes.get(named.log) ?? 0)),
  );
  return finishing(newFile(file), async (path) => {
    await copy(at.path, path);
    const verdict = await withLiving(await verify(path, own, at), { ...at, path }, alive);
    return { file, verdict, keys: withKeys ? copyKeysFor(at, logs, heads, file) : undefined };
  });
};

type Made = Awaited<ReturnType<typeof make>>;

const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;

/** The shell commands that restore a backup. */
const restoring = (at: StoreAt, { file, keys }: Made): string[] => [
  ...(keys === undefined ? [] : [`cp -rn ${quoted(`${keys.folder}/.`)} ${quoted(dirname(at.keysDir))}`]),
  `colibri restore ${quoted(file)}`,
];

const show = (at: StoreAt, made: Made): void => {
  const { file, verdict, keys } = made;
  sayExactly(plain(file));
  tell(plain(`${count(verdict.record_count, 'record')}, ${bytesText(sizeOf(file))}; the copy was verified.`));
  for (const { kind, message } of verdict.missing) tell(plain(`  ${kind}: ${message}`));
  if (areOnOneDisk(file, at.path)) tell('The backup is on the same disk as the store.');
  if (keys === undefined) tell('The signing key and the heads are not in the backup.');
  else {
    const { length } = keys.logs;
    tell(plain(length === 0 ? 'No key was found.' : `The key of ${count(length, 'log')} is in ${keys.folder}.`));
    tell(paint('yellow', 'Whoever can read that folder can sign in your name: keep it where nobody else can.'));
  }
  tell('To restore it, end every Colibri that uses the store; then:');
  for (const line of restoring(at, made)) tellExactly(plain(`  ${line}`));
};

const run = async (target: string | undefined, options: BackupOptions): Promise<number> => {
  const at = findStore(options);
  assertThere(at);
  if (at.engine !== 'sqlite')
    throw wrong(
      'A store on PostgreSQL is not copied by this command.',
      'Use pg_dump, or `colibri migrate-store --to <file.db>` to move it.',
    );
  const made = await make(at, fileFor(at, target), options.withKeys === true);
  const { file, verdict, keys = null } = made;
  const { exit, record_count: records, missing } = verdict;
  if (!options.json) show(at, made);
  else sayJson({ file, bytes: sizeOf(file), records, verdict: exit, missing, keys, restore: restoring(at, made) });
  return 0;
};

export const backupCommand = (): Command =>
  storeCommand('backup', 'a verified copy of the store, beside running servers', AFTER, run)
    .argument('[target]', 'a folder or a new file')
    .option('--with-keys', 'also the signing key and the heads');

// Copies the signing keys and signed heads of a store into a folder beside its backup, with the layout of the state directory.

const keyFolderOf = (backup: string): string => `${backup}.keys`;

const assertNoKeyFolder = (backup: string): void => {
  const folder = keyFolderOf(backup);
  if (existsSync(folder)) throw wrong(`${folder} is already there and was not changed.`, 'Name another file.');
};

const privateFolder = (path: string): string => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
};

const copyKeys = ({ keys, keyFile, keysDir }: StoreAt, logs: readonly string[], folder: string): string[] => {
  const there = logs.filter((log) => keys.find(log) !== undefined);
  for (const log of there) writeOnce(join(folder, log), readFileSync(keyFile ?? join(keysDir, log), 'utf8'));
  return there;
};

/** Copies only the heads that the backup was verified against: against newer heads the backup would look rolled back. */
const copyHeads = (heads: readonly KnownNote[], folder: string): void => {
  for (const { note, named } of heads) {
    if (named !== undefined) writeOnce(join(privateFolder(join(folder, named.log)), String(named.size)), note);
  }
};

/**
 * Makes the folder of keys and heads, readable by this user only; if anything fails, no folder is left. Returns the ids of the logs whose
 * keys were copied.
 */
const copyKeysFor = (at: StoreAt, logs: readonly string[], heads: readonly KnownNote[], backup: string) => {
  const folder = keyFolderOf(backup);
  const unfinished = `${folder}.${process.pid}.part`;
  try {
    const found = copyKeys(at, logs, privateFolder(join(privateFolder(unfinished), 'keys')));
    copyHeads(heads, privateFolder(join(unfinished, 'heads')));
    renameSync(unfinished, folder);
    return { folder, logs: found };
  } catch (thrown) {
    rmSync(unfinished, { recursive: true, force: true });
    throw thrown;
  }
};
