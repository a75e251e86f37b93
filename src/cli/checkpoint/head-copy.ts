// Copies a signed head to a file on another disk or to a git repository. An older head there is overwritten only if the log still
// continues that head, because the copy exists to detect a log that was rewritten.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { expandHome } from '../../core/directories.js';
import { asError, type ColibriError, systemCode } from '../../errors.js';
import { writeWhole } from '../../files/whole-file.js';
import { readHead } from '../../ledger/head.js';
import { verifierFor } from '../../ledger/heads.js';
import { openCheckpoint } from '../../ledger/notes.js';
import { rootAt } from '../../ledger/stored-tree.js';
import { quote } from '../../modes.js';
import type { Store } from '../../store/store.js';
import { isFolder } from '../paths.js';
import type { Signed } from '../signing.js';
import { wrong } from '../target.js';

/** The mode of a copied head's file. Heads are public; the umask may restrict the mode further. */
const PUBLIC = 0o666;

export type HeadTarget = { readonly kind: 'file' | 'git'; readonly path: string };

export const parseHeadTarget = (text: string): HeadTarget => {
  const [found, kind, path] = /^(file|git):(.+)$/s.exec(text) ?? [];
  if (found === undefined) throw wrong(`--to ${quote(text)} is not known.`, 'Allowed: file:<path>, git:<folder>.');
  // The shell does not expand `~` after `git:`.
  const target = resolve(expandHome(path ?? '', homedir()));
  if (kind === 'file' && path?.endsWith('/')) assertFolder(target);
  return { kind: kind === 'git' ? 'git' : 'file', path: target };
};

/** Throws if the folder is missing: its disk may not be mounted, and the copy would land on this disk. */
const assertFolder = (path: string): void => {
  if (isFolder(path)) return;
  throw wrong(
    `There is no folder ${path}; nothing was signed or copied.`,
    'Make the folder, or mount its disk. Without the slash at the end, the path names a file.',
  );
};

const unusable = (path: string, thrown: unknown): ColibriError =>
  wrong(`${path} cannot be used: ${asError(thrown).message}`, 'Name another place with --to.');

const present = (path: string): string | undefined => {
  try {
    // The kind of file is checked before it is opened, because opening a pipe would block.
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT') return undefined;
    throw unusable(path, thrown);
  }
};

/** Whether the log still begins with the records that the head `kept` was signed for. */
const continues = (store: Store, { log, size }: Signed, kept: string): Promise<boolean> =>
  store.read(async (tx) => {
    const opened = openCheckpoint(kept, await verifierFor(tx, log), { allowCosignatures: true });
    if ('refused' in opened || opened.checkpoint.size > size) return false;
    const { base } = await readHead(tx, log);
    return (await rootAt(tx, { log, base }, opened.checkpoint.size)) === opened.checkpoint.root;
  });

/** Writes the head to a file; returns whether anything was written. */
const putFile = async (store: Store, signed: Signed, path: string): Promise<boolean> => {
  const kept = present(path);
  if (kept === signed.note) return false;
  if (kept !== undefined && !(await continues(store, signed, kept))) {
    throw wrong(
      `${path} holds something that is not an earlier head of log ${signed.log}; the file was not changed.`,
      `If the file is a signed head, check it: colibri verify --head ${path}. If you do not need the file, move it away.`,
    );
  }
  try {
    const draft = `${path}.${process.pid}.part`;
    writeWhole(path, (fd) => writeFileSync(fd, signed.note), { draft, mode: PUBLIC });
  } catch (thrown) {
    throw unusable(path, thrown);
  }
  return true;
};

const git = (dir: string, ...args: string[]) => {
  const run = spawnSync('git', ['-C', dir, ...args], { encoding: 'utf8' });
  if (run.error !== undefined) throw wrong('git could not be started.', 'Install git, or use --to file:<path>.');
  const lines = `${run.stderr}${run.stdout}`.split('\n').map((line) => line.trim());
  return { ok: run.status === 0, text: lines.filter((line) => line !== '').join(' ') };
};

const gitOrThrow = (dir: string, ...args: string[]): void => {
  const { ok, text } = git(dir, ...args);
  if (!ok)
    throw wrong(
      `git ${args[0]} failed in ${dir}: ${text}`,
      'The head was written to the file; commit the file by hand.',
    );
};

/** Throws, before anything is copied, if git has no user name and address, without which git does not commit. */
const assertIdentity = (dir: string): void => {
  if (git(dir, 'var', 'GIT_AUTHOR_IDENT').ok && git(dir, 'var', 'GIT_COMMITTER_IDENT').ok) return;
  throw wrong(
    `git does not know who commits in ${dir}; nothing was copied.`,
    `Tell git: git -C ${dir} config user.name <name> && git -C ${dir} config user.email <address>`,
  );
};

const putInGit = async (store: Store, signed: Signed, path: string): Promise<boolean> => {
  const [dir, file] = [dirname(path), basename(path)];
  if (!isFolder(dir) || !git(dir, 'rev-parse', '--is-inside-work-tree').ok) {
    throw wrong(`${dir} is not in a git repository.`, `Make a git repository with: git init ${dir}`);
  }
  assertIdentity(dir);
  await putFile(store, signed, path);
  gitOrThrow(dir, 'add', '--force', '--', file);
  if (git(dir, 'diff', '--cached', '--quiet', '--', file).ok) return false; // the head is already committed
  gitOrThrow(dir, 'commit', '--quiet', '-m', 'colibri checkpoint', '--', file);
  return true;
};

/** Copies a signed head; returns the path of the copy and whether the copy is new. */
export const putHead = async (store: Store, signed: Signed, { kind, path: given }: HeadTarget) => {
  const path = kind === 'git' || isFolder(given) ? join(given, `${signed.log}.checkpoint`) : given;
  return { path, written: await (kind === 'git' ? putInGit : putFile)(store, signed, path) };
};
