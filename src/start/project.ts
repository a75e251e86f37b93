// Determines which project and which store this process uses; it looks at folders and creates nothing. Two of five clients start their
// servers in `/` or in the home folder, so neither ever counts as a project: a repository of dotfiles in the home folder must not swallow
// everything below it.

import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import type { Config, ProjectHints, ProjectStart } from '../config.js';
import { serverAddress } from '../core/database-url.js';
import { ColibriError, quietly } from '../errors.js';
import { FILE_LIMITS } from '../files/limits.js';
import { isInside, readUntrusted } from '../files/untrusted-file.js';
import { MODES, quote } from '../modes.js';
import { readUrlFile } from './url-file.js';

/** The questions that are asked of the file system. No function throws: a path that cannot be seen counts as missing. */
export interface Folders {
  isDirectory(path: string): boolean;
  isFile(path: string): boolean;
  /** The text of a small file in its folder; undefined if a link leads out of the folder. */
  readFile(path: string): string | undefined;
  realpath(path: string): string | undefined;
  /** Whether another user made the file or folder at the path in a folder that everybody may write, such as `/tmp`. */
  isStrangers(path: string): boolean;
}

export interface Project {
  readonly none: false;
  readonly dir: string;
  /** The name of the project's folder: the default project of a task. */
  readonly name: string;
  /** The rule that chose the project's folder, in words for a person. */
  readonly rule: string;
}

export interface NoProject {
  readonly none: true;
  readonly rule: string;
}

export type StoreChoice =
  | { readonly kind: 'sqlite'; readonly path: string; readonly rule: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly rule: string }
  /** A throw-away store: the caller creates a temporary folder for the store, the key and the heads. */
  | { readonly kind: 'throwaway'; readonly rule: string }
  | { readonly kind: 'none'; readonly rule: string };

/** The store as the log names it: the path of a file, the address of a database without user and password, or its kind. */
export const namedChoice = (choice: StoreChoice): string => {
  if (choice.kind === 'sqlite') return choice.path;
  return choice.kind === 'postgres' ? serverAddress(choice.url).text : choice.kind;
};

export const resolveProject = (hints: ProjectHints, folders: Folders = disk): Project | NoProject => {
  const home = folders.realpath(hints.home) ?? hints.home;
  const skipped: string[] = [];
  for (const hint of hints.starts) {
    const dir = folders.isDirectory(hint.dir) ? folders.realpath(hint.dir) : undefined;
    if (dir === undefined) {
      if (isExplicit(hint)) throw missingFolder(hint);
      skipped.push(`${hint.source} skipped: ${hint.dir} is not a folder`);
      continue;
    }
    return withNotes(search(hint.source, dir, home, folders), skipped);
  }
  return withNotes({ none: true, rule: 'no project' }, skipped);
};

export const resolveStore = (config: Config, project: Project | NoProject, folders: Folders = disk): StoreChoice => {
  const { store } = MODES[config.mode];
  const pathIgnored = config.dbPath === undefined ? [] : ['COLIBRI_DB_PATH is ignored'];
  const bothIgnored = [
    ...(config.databaseUrl === undefined ? [] : ['COLIBRI_DATABASE_URL is ignored']),
    ...(config.databaseUrlFile === undefined ? [] : ['COLIBRI_DATABASE_URL_FILE is ignored']),
    ...pathIgnored,
  ];
  if (store === 'none') return { kind: 'none', rule: sentence(`mode ${config.mode} has no store`, bothIgnored) };
  if (store === 'throwaway') {
    return { kind: 'throwaway', rule: sentence(`mode ${config.mode} uses a throw-away folder`, bothIgnored) };
  }
  if (config.databaseUrl !== undefined) {
    const ignored = config.databaseUrlFile === undefined ? [] : ['COLIBRI_DATABASE_URL_FILE is ignored'];
    const rule = sentence('COLIBRI_DATABASE_URL', [...ignored, ...pathIgnored]);
    return { kind: 'postgres', url: config.databaseUrl, rule };
  }
  if (config.databaseUrlFile !== undefined) {
    const url = readUrlFile(config.databaseUrlFile);
    return { kind: 'postgres', url, rule: sentence('COLIBRI_DATABASE_URL_FILE', pathIgnored) };
  }
  if (config.dbPath !== undefined) return { kind: 'sqlite', path: config.dbPath, rule: 'COLIBRI_DB_PATH' };
  const why = project.none ? 'no project' : whyNotOwnFolder(project, folders);
  if (!project.none && why === undefined) {
    return { kind: 'sqlite', path: join(project.dir, '.colibri', 'colibri.db'), rule: "the project's .colibri folder" };
  }
  return { kind: 'sqlite', path: join(config.directories.data, 'colibri.db'), rule: `user's data directory; ${why}` };
};

/**
 * Why the project's own folder is not used for its store; undefined if it is used. A repository can ship a link to any folder or store of
 * the user's, so no store behind a link is created or read. To share one store among several projects, name it in COLIBRI_DB_PATH.
 */
const whyNotOwnFolder = ({ dir }: Project, folders: Folders): string | undefined => {
  const folder = join(dir, '.colibri');
  if (!folders.isDirectory(folder)) return `no .colibri folder in ${dir}`;
  if (folders.isStrangers(folder)) return `another user made the .colibri folder of ${dir}`;
  const leadsOut = (path: string): boolean => !isInside(folders.realpath(path) ?? dir, dir);
  if (leadsOut(folder)) return `the .colibri folder of ${dir} is a link that leads out of it`;
  if (leadsOut(join(folder, 'colibri.db'))) return `the store of ${dir} is a link that leads out of it`;
  return undefined;
};

/** Finds the nearest project folder from `start` upwards. */
const search = (source: ProjectStart['source'], start: string, home: string, folders: Folders): Project | NoProject => {
  const { root } = parse(start);
  const bounds = [home, root];
  if (bounds.includes(start)) {
    return { none: true, rule: `no project: ${source} is ${start === root ? root : 'the home folder'}` };
  }
  for (let dir = start; !bounds.includes(dir); dir = dirname(dir)) {
    const marks = ['.colibri', '.git'].map((name) => join(dir, name)).filter((path) => !folders.isStrangers(path));
    if (marks.some(folders.isDirectory)) return projectAt(dir, source);
    if (marks.some((path) => basename(path) === '.git' && folders.isFile(path))) {
      const main = mainWorktree(dir, folders);
      // If the repository is in the home folder itself, its worktree is a project of its own.
      if (main === undefined || bounds.includes(main)) return projectAt(dir, source);
      return projectAt(main, `${source}; main worktree of ${dir}`);
    }
  }
  return { none: true, rule: `no project: ${source} has no folder with .colibri/ or .git at or above ${start}` };
};

const projectAt = (dir: string, rule: string): Project => ({ none: false, dir, name: basename(dir), rule });

/**
 * The project folder that all worktrees of one git repository share; undefined if `dir` is not a linked worktree or none is shared.
 * gitrepository-layout(5): only a worktree's git directory has a `commondir` file; a submodule's has none.
 * - `/x/.git` is the common directory (bare or not): `/x`.
 * - `/x/.bare` with `/x/.git` pointing at it, or any bare repository with `/x/.colibri/` beside it: `/x`.
 * - Another bare repository may be in a folder with unrelated ones (`/srv/git/a.git`): there is no main worktree, so each
 *   worktree is a project of its own.
 */
const mainWorktree = (dir: string, folders: Folders): string | undefined => {
  const commonDir = sharedGitDir(dir, folders);
  if (commonDir === undefined) return undefined;
  const main = dirname(commonDir);
  const shared =
    basename(commonDir) === '.git' ||
    folders.isDirectory(join(main, '.colibri')) ||
    gitDirOf(main, folders) === commonDir;
  return shared ? main : undefined;
};

/** The path that a file in the git directory names, relative to that directory; undefined if it does not exist. */
const namedIn = (gitDir: string, file: string, folders: Folders): string | undefined => {
  const target = folders.readFile(join(gitDir, file))?.trim();
  return target ? folders.realpath(resolve(gitDir, target)) : undefined;
};

/** Whether the git repository knows the worktree: it keeps a folder for each worktree, with the path back to the worktree's `.git` file. */
const isKnownWorktree = (dir: string, gitDir: string, commonDir: string, folders: Folders): boolean =>
  dirname(gitDir) === join(commonDir, 'worktrees') &&
  namedIn(gitDir, 'gitdir', folders) === folders.realpath(join(dir, '.git'));

/**
 * The git directory that the worktrees of one repository share, or undefined if `dir` is not a linked worktree. Anybody can ship a `.git`
 * file that names somebody's repository, so the repository has to name the worktree too.
 */
export const sharedGitDir = (dir: string, folders: Folders): string | undefined => {
  const gitDir = gitDirOf(dir, folders);
  const commonDir = gitDir && namedIn(gitDir, 'commondir', folders);
  return gitDir && commonDir && isKnownWorktree(dir, gitDir, commonDir, folders) ? commonDir : undefined;
};

/** The git directory that the `.git` file of a folder names; undefined if there is none. */
const gitDirOf = (dir: string, folders: Folders): string | undefined => {
  const file = join(dir, '.git');
  const target = folders.isFile(file) ? /^gitdir: (.+)$/m.exec(folders.readFile(file) ?? '')?.[1] : undefined;
  return target === undefined ? undefined : folders.realpath(resolve(dir, target.trim()));
};

/** True if a person named the folder for Colibri: then it must exist. A folder that a client sets for every program may be out of date. */
const isExplicit = ({ source }: ProjectStart): boolean => source === '--project' || source === 'COLIBRI_PROJECT_DIR';

const missingFolder = ({ source, dir }: ProjectStart): ColibriError =>
  new ColibriError('CONFIG_INVALID', `${source}=${quote(dir)} is not allowed; allowed: a folder that exists`);

const sentence = (rule: string, notes: readonly string[]): string =>
  notes.length === 0 ? rule : `${rule} (${notes.join('; ')})`;

const withNotes = <T extends Project | NoProject>(choice: T, notes: readonly string[]): T => ({
  ...choice,
  rule: sentence(choice.rule, notes),
});

const WRITABLE_BY_ALL = 0o002;

/**
 * Whether another user made the file or folder at the path in a folder that everybody may write. The owner of that folder and root do not
 * count, because they could have made it at any time.
 */
const isStrangers = (path: string): boolean => {
  const { uid } = lstatSync(path);
  const around = statSync(dirname(path));
  return (around.mode & WRITABLE_BY_ALL) !== 0 && ![0, around.uid, process.getuid?.()].includes(uid);
};

export const disk: Folders = {
  isDirectory: (path) => quietly(() => statSync(path).isDirectory()) ?? false,
  isFile: (path) => quietly(() => statSync(path).isFile()) ?? false,
  readFile: (path) =>
    quietly(() => readUntrusted(path, { maxBytes: FILE_LIMITS.gitFileBytes, within: dirname(path) }).toString('utf8')),
  realpath: (path) => quietly(() => realpathSync(path)),
  isStrangers: (path) => quietly(() => isStrangers(path)) ?? false,
};
