import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Env, parseConfig, readEnv } from '../config.js';
import { ColibriError } from '../errors.js';
import { disk, type Folders, resolveProject, resolveStore } from './project.js';

let root = '';
let home = '';

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-project-')));
  home = folder('home');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (...parts: string[]): string => {
  const dir = join(root, ...parts);
  mkdirSync(dir, { recursive: true });
  return dir;
};

const git = (cwd: string, ...args: string[]): void => {
  const env = { PATH: readEnv().PATH, HOME: root, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const settings = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'init.defaultBranch=main'];
  execFileSync('git', [...settings.flatMap((setting) => ['-c', setting]), ...args], { cwd, env, stdio: 'pipe' });
};

/** A repository with one commit. */
const repository = (...parts: string[]): string => {
  const dir = folder(...parts);
  git(dir, 'init');
  git(dir, 'commit', '--allow-empty', '-m', 'first');
  return dir;
};

const hintsFor = (cwd: string, env: Env = {}, projectFlag?: string) =>
  parseConfig(env, { cwd, home, platform: 'linux', projectFlag }).projectHints;

const projectFrom = (cwd: string, env: Env = {}, projectFlag?: string) =>
  resolveProject(hintsFor(cwd, env, projectFlag));

/** The disk, with some more folders on it. */
const diskWith = (...dirs: string[]): Folders => ({
  ...disk,
  isDirectory: (path) => dirs.includes(path) || disk.isDirectory(path),
});

describe('the walk upwards', () => {
  it.each(['.git', '.colibri'])('finds %s from a subfolder', (marker) => {
    folder('home', 'app', marker);
    const app = join(home, 'app');
    expect(projectFrom(folder('home', 'app', 'src', 'deep'))).toEqual({
      none: false,
      dir: app,
      name: 'app',
      rule: 'working directory',
    });
    expect(projectFrom(app)).toMatchObject({ dir: app });
  });

  it('takes the nearest, whichever marker it has', () => {
    folder('home', 'mono', '.git');
    folder('home', 'mono', 'packages', 'a', '.colibri');
    expect(projectFrom(folder('home', 'mono', 'packages', 'a', 'src'))).toMatchObject({ name: 'a' });
    expect(projectFrom(folder('home', 'mono', 'packages', 'b'))).toMatchObject({ name: 'mono' });

    folder('home', 'outer', '.colibri');
    folder('home', 'outer', 'inner', '.git');
    expect(projectFrom(join(home, 'outer', 'inner'))).toMatchObject({ name: 'inner' });
  });

  it('takes no file called .colibri for a project', () => {
    const dir = folder('home', 'app');
    writeFileSync(join(dir, '.colibri'), '');
    expect(projectFrom(dir)).toMatchObject({ none: true });
  });

  it('finds a project outside the home folder', () => {
    folder('srv', 'app', '.git');
    expect(projectFrom(folder('srv', 'app', 'src'))).toMatchObject({ name: 'app' });
  });

  it('finds none', () => {
    const dir = folder('home', 'notes');
    expect(projectFrom(dir)).toEqual({
      none: true,
      rule: `no project: working directory has no folder with .colibri/ or .git at or above ${dir}`,
    });
  });
});

describe('the home folder and the root', () => {
  it('are no project, not even with dotfiles in a repository', () => {
    repository('home');
    folder('home', '.colibri');
    expect(projectFrom(home)).toEqual({ none: true, rule: 'no project: working directory is the home folder' });
    expect(projectFrom(folder('home', 'notes'))).toMatchObject({ none: true });
    expect(projectFrom(folder('home'), { COLIBRI_PROJECT_DIR: home })).toMatchObject({ none: true });
  });

  it('/ is no project either', () => {
    const marked = diskWith('/.git', '/.colibri', join(root, 'x'));
    expect(resolveProject(hintsFor('/'), marked)).toEqual({
      none: true,
      rule: 'no project: working directory is /',
    });
    expect(resolveProject(hintsFor(folder('x')), marked)).toMatchObject({ none: true });
  });

  it('stops at the home folder: what lies above is not ours', () => {
    folder('.git');
    expect(projectFrom(folder('home', 'notes'))).toMatchObject({ none: true });
  });

  it('knows the home folder behind a symbolic link', () => {
    repository('home');
    const link = join(root, 'link');
    symlinkSync(home, link);
    const hints = parseConfig({}, { cwd: home, home: link, platform: 'linux' }).projectHints;
    expect(resolveProject(hints)).toMatchObject({ none: true });
  });

  it('a worktree of the dotfiles is a project of its own', () => {
    repository('home');
    git(home, 'worktree', 'add', join(root, 'home', 'try'));
    expect(projectFrom(join(home, 'try'))).toMatchObject({ name: 'try', rule: 'working directory' });
  });
});

describe('the hints', () => {
  beforeEach(() => {
    for (const name of ['flag', 'own', 'claude', 'cursor', 'cwd']) folder('home', name, '.git');
  });

  const at = (name: string): string => join(home, name);
  const all = () => ({
    COLIBRI_PROJECT_DIR: at('own'),
    CLAUDE_PROJECT_DIR: at('claude'),
    WORKSPACE_FOLDER_PATHS: `${at('cursor')}:${at('cwd')}`,
  });

  it.each<[string, string, (env: Env) => Env, boolean]>([
    ['flag', '--project', (env) => env, true],
    ['own', 'COLIBRI_PROJECT_DIR', (env) => env, false],
    ['claude', 'CLAUDE_PROJECT_DIR', (env) => ({ ...env, COLIBRI_PROJECT_DIR: '' }), false],
    ['cursor', 'WORKSPACE_FOLDER_PATHS', ({ WORKSPACE_FOLDER_PATHS }) => ({ WORKSPACE_FOLDER_PATHS }), false],
    ['cwd', 'working directory', () => ({}), false],
  ])('%s counts before those after it', (name, rule, pick, withFlag) => {
    const project = projectFrom(at('cwd'), pick(all()), withFlag ? at('flag') : undefined);
    expect(project).toEqual({ none: false, dir: at(name), name, rule });
  });

  it.each(['/', 'home'])('help where the client starts its servers in %s', (cwd) => {
    const from = cwd === '/' ? '/' : home;
    expect(projectFrom(from, { WORKSPACE_FOLDER_PATHS: at('cursor') })).toMatchObject({ name: 'cursor' });
    expect(projectFrom(from)).toMatchObject({ none: true });
  });

  it('the first that is set decides, even if it leads to no project', () => {
    expect(projectFrom(at('cwd'), { CLAUDE_PROJECT_DIR: home })).toEqual({
      none: true,
      rule: 'no project: CLAUDE_PROJECT_DIR is the home folder',
    });
    expect(projectFrom(at('cwd'), {}, folder('home', 'bare'))).toMatchObject({ none: true });
  });

  it.each(['--project', 'COLIBRI_PROJECT_DIR'])('%s must be a folder', (source) => {
    writeFileSync(at('file'), '');
    for (const wrong of [at('missing'), at('file')]) {
      const flag = source === '--project' ? wrong : undefined;
      const env = flag === undefined ? { COLIBRI_PROJECT_DIR: wrong } : {};
      const attempt = () => projectFrom(at('cwd'), env, flag);
      expect(attempt).toThrow(ColibriError);
      expect(attempt).toThrow(`${source}="${wrong}" is not allowed; allowed: a folder that exists`);
    }
  });

  it("a client's folder that is not there is skipped, and the rule says so", () => {
    const env = { CLAUDE_PROJECT_DIR: at('gone'), WORKSPACE_FOLDER_PATHS: at('lost') };
    expect(projectFrom(at('cwd'), env)).toMatchObject({
      name: 'cwd',
      rule:
        `working directory (CLAUDE_PROJECT_DIR skipped: ${at('gone')} is not a folder; ` +
        `WORKSPACE_FOLDER_PATHS skipped: ${at('lost')} is not a folder)`,
    });
  });

  it('a working directory that was deleted is no project', () => {
    expect(projectFrom(at('deleted'))).toEqual({
      none: true,
      rule: `no project (working directory skipped: ${at('deleted')} is not a folder)`,
    });
  });
});

describe('git', () => {
  it('a worktree belongs to the main worktree', () => {
    const app = repository('home', 'app');
    const tree = join(root, 'home', 'trees', 'feature');
    git(app, 'worktree', 'add', tree);
    expect(projectFrom(folder('home', 'trees', 'feature', 'src'))).toEqual({
      none: false,
      dir: app,
      name: 'app',
      rule: `working directory; main worktree of ${tree}`,
    });
  });

  it('so does a worktree inside the main one, also with relative links', () => {
    const app = repository('home', 'app');
    const tree = join(app, '.trees', 'feature');
    git(app, 'worktree', 'add', tree);
    expect(projectFrom(tree)).toMatchObject({ dir: app });
    writeFileSync(join(tree, '.git'), 'gitdir: ../../.git/worktrees/feature\n');
    expect(projectFrom(tree)).toMatchObject({ dir: app });
  });

  it('a worktree with a .colibri/ of its own is a project of its own', () => {
    const app = repository('home', 'app');
    git(app, 'worktree', 'add', join(home, 'feature'));
    folder('home', 'feature', '.colibri');
    expect(projectFrom(join(home, 'feature'))).toMatchObject({ name: 'feature', rule: 'working directory' });
  });

  it('a worktree whose repository is gone is a project of its own', () => {
    const app = repository('home', 'app');
    git(app, 'worktree', 'add', join(home, 'feature'));
    rmSync(app, { recursive: true });
    expect(projectFrom(join(home, 'feature'))).toMatchObject({ name: 'feature' });
  });

  it('a submodule is a project of its own, also inside a worktree', () => {
    const library = repository('home', 'library');
    const app = repository('home', 'app');
    git(app, 'submodule', 'add', library, 'vendor/library');
    git(app, 'commit', '-m', 'submodule');
    expect(projectFrom(join(app, 'vendor', 'library'))).toEqual({
      none: false,
      dir: join(app, 'vendor', 'library'),
      name: 'library',
      rule: 'working directory',
    });
    const tree = join(home, 'feature');
    git(app, 'worktree', 'add', tree);
    git(tree, 'submodule', 'update', '--init');
    expect(projectFrom(join(tree, 'vendor', 'library'))).toMatchObject({ dir: join(tree, 'vendor', 'library') });
    expect(projectFrom(tree)).toMatchObject({ dir: app });
  });

  it('worktrees around a hidden bare repository share the folder above it', () => {
    const seed = repository('home', 'seed');
    const app = folder('home', 'app');
    git(app, 'clone', '--bare', seed, '.bare');
    writeFileSync(join(app, '.git'), 'gitdir: ./.bare\n');
    git(app, 'worktree', 'add', 'feature');
    expect(projectFrom(join(app, 'feature'))).toMatchObject({ dir: app });
    expect(projectFrom(app)).toMatchObject({ dir: app });
  });

  it('so do those of a bare repository called .git', () => {
    const seed = repository('home', 'seed');
    const app = folder('home', 'app');
    git(app, 'clone', '--bare', seed, '.git');
    git(app, 'worktree', 'add', 'feature');
    expect(projectFrom(join(app, 'feature'))).toMatchObject({ dir: app });
  });

  it('worktrees of another bare repository are their own, unless a .colibri/ lies beside it', () => {
    const seed = repository('home', 'seed');
    const shelf = folder('home', 'shelf');
    git(shelf, 'clone', '--bare', seed, 'app.git');
    git(join(shelf, 'app.git'), 'worktree', 'add', join(shelf, 'feature'));
    expect(projectFrom(join(shelf, 'feature'))).toMatchObject({ name: 'feature' });
    folder('home', 'shelf', '.colibri');
    expect(projectFrom(join(shelf, 'feature'))).toMatchObject({ dir: shelf });
  });

  it.each(['', 'gitdir:', 'gitdir: /nowhere/at/all', '\0\0', 'gitdir: .'])('bears a .git file of %j', (text) => {
    const dir = folder('home', 'odd');
    writeFileSync(join(dir, '.git'), text);
    expect(projectFrom(dir)).toMatchObject({ name: 'odd', rule: 'working directory' });
  });
});

it('follows symbolic links before it walks', () => {
  folder('home', 'app', '.git');
  folder('home', 'app', 'src');
  folder('home', 'elsewhere', '.git');
  const link = join(home, 'elsewhere', 'link');
  symlinkSync(join(home, 'app', 'src'), link);
  expect(projectFrom(link)).toMatchObject({ dir: join(home, 'app') });
});

it('what another user made in a folder for everybody is no project, and no place for a store', () => {
  folder('home', 'shared', '.colibri');
  const work = folder('home', 'shared', 'work');
  const strangers = { ...disk, isStrangers: (path: string) => path === join(home, 'shared', '.colibri') };
  const config = parseConfig({}, { cwd: work, home, platform: 'linux' });
  expect(resolveProject(config.projectHints, strangers)).toMatchObject({ none: true });
  folder('home', 'shared', '.git');
  const project = resolveProject(config.projectHints, strangers);
  expect(project).toMatchObject({ dir: join(home, 'shared') });
  expect(resolveStore(config, project, strangers).rule).toMatch(/another user made the \.colibri folder/);
});

describe('resolveStore', () => {
  const storeFrom = (cwd: string, env: Env = {}) => {
    const config = parseConfig(env, { cwd, home, platform: 'linux' });
    return resolveStore(config, resolveProject(config.projectHints));
  };
  const data = (): string => join(home, '.local', 'share', 'colibri', 'colibri.db');

  it("is the project's own where it has a .colibri/", () => {
    folder('home', 'app', '.colibri');
    expect(storeFrom(folder('home', 'app', 'src'))).toEqual({
      kind: 'sqlite',
      path: join(home, 'app', '.colibri', 'colibri.db'),
      rule: "the project's .colibri folder",
    });
  });

  it("is the main worktree's in a worktree", () => {
    const app = repository('home', 'app');
    git(app, 'worktree', 'add', join(home, 'feature'));
    folder('home', 'app', '.colibri');
    expect(storeFrom(join(home, 'feature'))).toMatchObject({ path: join(app, '.colibri', 'colibri.db') });
  });

  it("is in the user's data directory otherwise", () => {
    folder('home', 'app', '.git');
    expect(storeFrom(join(home, 'app'))).toEqual({
      kind: 'sqlite',
      path: data(),
      rule: `user's data directory; no .colibri folder in ${join(home, 'app')}`,
    });
    expect(storeFrom('/')).toEqual({ kind: 'sqlite', path: data(), rule: "user's data directory; no project" });
  });

  const url = 'postgres://u:p@h/d';
  it.each<[Env, Record<string, unknown>]>([
    [{ COLIBRI_DB_PATH: '/x.db' }, { kind: 'sqlite', path: '/x.db', rule: 'COLIBRI_DB_PATH' }],
    [{ COLIBRI_DATABASE_URL: url }, { kind: 'postgres', url, rule: 'COLIBRI_DATABASE_URL' }],
    [
      { COLIBRI_DATABASE_URL: url, COLIBRI_DB_PATH: '/x.db' },
      { kind: 'postgres', url, rule: 'COLIBRI_DATABASE_URL (COLIBRI_DB_PATH is ignored)' },
    ],
    [
      { COLIBRI_MODE: 'READONLY', COLIBRI_DB_PATH: '/x.db' },
      { kind: 'sqlite', path: '/x.db', rule: 'COLIBRI_DB_PATH' },
    ],
    [{ COLIBRI_MODE: 'TEST' }, { kind: 'throwaway', rule: 'mode TEST uses a throw-away folder' }],
    [
      { COLIBRI_MODE: 'TEST', COLIBRI_DB_PATH: '/x.db' },
      { kind: 'throwaway', rule: 'mode TEST uses a throw-away folder (COLIBRI_DB_PATH is ignored)' },
    ],
    [
      { COLIBRI_MODE: 'TEST', COLIBRI_DB_PATH: '/x.db', COLIBRI_DATABASE_URL: url },
      {
        kind: 'throwaway',
        rule: 'mode TEST uses a throw-away folder (COLIBRI_DATABASE_URL is ignored; COLIBRI_DB_PATH is ignored)',
      },
    ],
    [{ COLIBRI_MODE: 'MINIMAL' }, { kind: 'none', rule: 'mode MINIMAL has no store' }],
  ])('%j', (env, store) => {
    folder('home', 'app', '.colibri');
    expect(storeFrom(join(home, 'app'), env)).toEqual(store);
  });

  it('never puts the password into the rule', () => {
    expect(storeFrom(home, { COLIBRI_DATABASE_URL: 'postgres://u:s3cr3t@h/d' }).rule).not.toContain('s3cr3t');
  });
});
