// The same rule on bad days: files that are no project files, copies, moves, worktrees, races, stores from before, changed stores.
import '../support/deep-part.js';
import './projects.test.js';

import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { asFormat4 } from '../support/format-4.js';
import { serve } from '../support/serve.js';
import {
  create,
  dataOf,
  declares,
  during,
  ID,
  type Projects,
  projects,
  sharedStore,
  titles,
} from './projects.shared.js';

test.each([
  ['broken', (file: string) => fs.writeFileSync(file, '{')],
  ['of another shape', (file: string) => fs.writeFileSync(file, '{"project_id": 7}')],
  ['the id that no file may have', (file: string) => fs.writeFileSync(file, declares('0'.repeat(32)))],
  ['an id made from a path', (file: string) => fs.writeFileSync(file, declares(`path-${'0'.repeat(32)}`))],
  ['a link', (file: string) => fs.symlinkSync(join(file, '..', '..', 'elsewhere.json'), file)],
  ['huge', (file: string) => fs.writeFileSync(file, declares(ID) + ' '.repeat(5_000))],
  ['a folder', (file: string) => fs.mkdirSync(file)],
])('a project file that is %s gives no id; the path does', async (_, make) => {
  const at = projects();
  sharedStore(at);
  const dir = at.repository('shop');
  at.write('shop/elsewhere.json', declares(ID));
  fs.mkdirSync(join(dir, '.colibri'));
  make(join(dir, '.colibri', 'project.json'));
  await during(at, dir, async (peer) => {
    expect((await create(peer, 'x')).project_id).toMatch(/^path-[0-9a-f]{32}$/);
    expect(peer.stderr).toContain('.colibri/project.json is not used');
  });
});

const git = (cwd: string, ...args: string[]): void => {
  const ran = spawnSync('git', args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' },
  });
  if (ran.status !== 0) throw new Error(String(ran.stderr));
};

const committed = (dir: string): void => {
  fs.mkdirSync(dir, { recursive: true });
  git(dir, 'init', '-q');
  git(dir, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'x');
};

test('a worktree shares the identity of its main worktree; worktrees of a bare repository share one', async () => {
  const at = projects();
  const main = join(at.place.dir, 'main', 'shop');
  committed(main);
  git(main, 'worktree', 'add', '-q', join(at.place.dir, 'elsewhere', 'shop'), '-b', 'w');
  await during(at, main, (peer) => create(peer, 'of main'));
  expect(await during(at, join(at.place.dir, 'elsewhere', 'shop'), titles)).toEqual(['of main']);

  const bare = join(at.place.dir, 'bare.git');
  git(at.place.dir, 'clone', '-q', '--bare', main, bare);
  const trees = ['one', 'two'].map((name) => join(at.place.dir, 'trees', name));
  for (const tree of trees) git(bare, 'worktree', 'add', '-q', tree, '-b', tree.slice(-3));
  await during(at, trees[0] ?? '', (peer) => create(peer, 'of the bare one'));
  expect(await during(at, trees[1] ?? '', titles)).toEqual(['of the bare one']);
});

test('a .git file that points into a bare repository which does not know it shares nothing', async () => {
  const at = projects();
  const source = join(at.place.dir, 'source');
  committed(source);
  const bare = join(at.place.dir, 'bare.git');
  git(at.place.dir, 'clone', '-q', '--bare', source, bare);
  const tree = join(at.place.dir, 'tree');
  git(bare, 'worktree', 'add', '-q', tree, '-b', 't');
  await during(at, tree, (peer) => create(peer, 'of the worktree'));
  at.write('evil/.git', fs.readFileSync(join(tree, '.git'), 'utf8'));
  expect(await during(at, join(at.place.dir, 'evil'), titles)).toEqual([]);
  // With a git directory of its own that only says whose common directory it has.
  at.write('worse/.git', 'gitdir: fake/worktrees/x\n');
  at.write('worse/fake/worktrees/x/commondir', `${bare}\n`);
  at.write('worse/fake/worktrees/x/gitdir', `${join(at.place.dir, 'worse', '.git')}\n`);
  expect(await during(at, join(at.place.dir, 'worse'), titles)).toEqual([]);
});

test('a copy asks; the original goes on; a moved project asks too', async () => {
  const at = projects();
  sharedStore(at);
  const dir = at.repository('a/shop');
  at.write('home/.cursor/mcp.json', '{}');
  expect(await at.run(dir, ['init', '--client', 'cursor', '--yes'])).toMatchObject({ code: 0 });
  const { project_id } = JSON.parse(fs.readFileSync(join(dir, '.colibri', 'project.json'), 'utf8'));
  expect(await during(at, dir, (peer) => create(peer, 'first'))).toMatchObject({ project_id });
  const copy = join(at.place.dir, 'copy', 'shop');
  fs.cpSync(dir, copy, { recursive: true });
  await during(at, copy, async (peer) => {
    expect(peer.stderr).toContain('colibri init --join');
    expect(await titles(peer)).toEqual([]);
  });
  expect(await during(at, dir, titles)).toEqual(['first']);
  const moved = join(at.place.dir, 'moved', 'shop');
  fs.mkdirSync(join(at.place.dir, 'moved'));
  fs.renameSync(dir, moved);
  expect(await during(at, moved, titles)).toEqual([]);
  expect(await at.run(moved, ['init', '--join', '--yes'])).toMatchObject({ code: 0 });
  expect(await during(at, moved, titles)).toEqual(['first']);
  // Whoever comes to lie where it was is asked: the folder that is gone has no say any more.
  fs.cpSync(copy, dir, { recursive: true });
  expect(await during(at, dir, titles)).toEqual([]);
  expect(await at.run(moved, ['verify'])).toMatchObject({ code: 0 });
});

test('two copies that start at once: one has the id, the other asks', { timeout: 60_000 }, async () => {
  const at = projects();
  sharedStore(at);
  const dirs = ['a/shop', 'b/shop', 'c/shop', 'd/shop'].map((path) => {
    at.write(`${path}/.colibri/project.json`, declares(ID));
    return at.repository(path);
  });
  const peers = await Promise.all(dirs.map((dir) => at.serve(dir)));
  const made = [];
  for (const peer of peers) made.push((await create(peer, 'x')).project_id);
  expect(made.filter((id) => id === ID)).toHaveLength(1);
  expect(new Set(made).size).toBe(4);
  for (const peer of peers) await peer.end();
  expect(JSON.parse(fs.readFileSync(join(at.state, 'projects.json'), 'utf8')).projects).toHaveLength(4);
  expect(fs.statSync(join(at.state, 'projects.json')).mode & 0o777).toBe(0o600);
});

test('a project keeps its tasks when init gives it an id, when that is taken back, and when it is made again', async () => {
  const at = projects();
  const dir = at.repository('shop');
  fs.mkdirSync(join(dir, '.colibri'));
  at.write(
    'shop/.colibri/.gitignore',
    '# Made by colibri init: the store is this machine\u2019s own.\n*\n!.gitignore\n!switchboard.json\n',
  );
  at.write('home/.cursor/mcp.json', '{}');
  expect(await during(at, dir, (peer) => create(peer, 'before'))).toMatchObject({ project_id: '0'.repeat(32) });
  const init = () => at.run(dir, ['init', '--client', 'cursor', '--yes']);
  const idOf = () => JSON.parse(fs.readFileSync(join(dir, '.colibri', 'project.json'), 'utf8')).project_id;
  expect(await init()).toMatchObject({ code: 0 });
  const id = idOf();
  expect(fs.readFileSync(join(dir, '.colibri', '.gitignore'), 'utf8')).toMatch(/!switchboard\.json\n!project\.json\n$/);
  expect(await during(at, dir, titles)).toEqual(['before']);
  expect(await at.run(dir, ['init', '--undo', '--yes'])).toMatchObject({ code: 0 });
  expect(fs.existsSync(join(dir, '.colibri', 'project.json'))).toBe(false);
  await during(at, dir, async (peer) => {
    await create(peer, 'after the undo');
    expect(await titles(peer)).toEqual(['before', 'after the undo']);
  });
  expect(await init()).toMatchObject({ code: 0 });
  expect(idOf()).toBe(id);
  expect(await during(at, dir, titles)).toEqual(['before', 'after the undo']);
  // The repository brings another id: the tasks stay, and a person is asked.
  fs.writeFileSync(join(dir, '.colibri', 'project.json'), declares(ID));
  await during(at, dir, async (peer) => {
    expect(await titles(peer)).toEqual(['before', 'after the undo']);
    expect(peer.stderr).toContain('this folder had another id before');
  });
  expect(await at.run(dir, ['verify'])).toMatchObject({ code: 0 });
});

test('a damaged table of known projects trusts no id, and nothing is written over', async () => {
  const at = projects();
  sharedStore(at);
  const dir = at.repository('shop');
  at.write('shop/.colibri/project.json', declares(ID));
  at.write('home/state/colibri/projects.json', '{');
  await during(at, dir, async (peer) => {
    expect((await create(peer, 'x')).project_id).toMatch(/^path-/);
    expect(peer.stderr).toContain('projects.json in the state directory is damaged');
  });
  expect(fs.readFileSync(join(at.state, 'projects.json'), 'utf8')).toBe('{');
  expect(await at.run(dir, ['init', '--join', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('projects.json cannot be read or is damaged'),
  });
});

const NOBODY = 65_534;

test.runIf(process.getuid?.() === 0)('a checkout that cannot be written works, with the id of its file', async () => {
  const at = projects();
  sharedStore(at);
  fs.chmodSync(at.place.dir, 0o777);
  const dir = at.repository('shop');
  at.write('shop/.colibri/project.json', declares(ID));
  for (const path of [dir, join(dir, '.colibri')]) fs.chmodSync(path, 0o555);
  fs.chownSync(at.place.home, NOBODY, NOBODY);
  const peer = serve(at.place, { env: { COLIBRI_PROJECT_DIR: dir }, uid: NOBODY });
  await peer.initialize();
  await peer.phase2();
  expect(await create(peer, 'x')).toMatchObject({ project_id: ID });
  await peer.end();
});

/** A home, or a root: no project, so nobody’s identity. */
test('the home folder is no project and has no identity, whatever it holds', async () => {
  const at = projects();
  at.write('home/.colibri/project.json', declares(ID));
  const peer = await at.serve(at.place.home);
  expect(await create(peer, 'x')).toMatchObject({ project: null, project_id: null });
  await peer.end();
});

const tamper = (at: Projects, sql: string): void => {
  const db = new Database(at.place.db);
  db.exec(sql);
  db.close();
};

/** Tasks by name alone, of a store of version 4. */
const olderStore = async (at: Projects, names: readonly string[]): Promise<void> => {
  await during(at, at.place.home, async (peer) => {
    for (const project of names) await create(peer, `old ${project}`, { project, idempotency_key: project });
    await create(peer, 'of nobody');
  });
  asFormat4(at.place);
};

test('a store from before: tasks go to the one project of their name, the others are found by it; nothing is lost', async () => {
  const at = projects();
  sharedStore(at);
  await olderStore(at, ['shop', 'mill']);
  const shop = at.repository('a/shop');
  await during(at, shop, async (peer) => {
    expect(await titles(peer)).toEqual(['old shop']);
    expect(await titles(peer, { project: 'mill' })).toEqual(['old mill']);
    expect(await titles(peer, { project: '*' })).toEqual(['old shop', 'old mill', 'of nobody']);
    const { task_id } = await create(peer, 'old shop', { project: 'shop', idempotency_key: 'shop' });
    expect(task_id).toBe('T-0001');
    await peer.call('task_update', { task_id: 'T-0001', status: 'GATHER', note: 'goes on' });
    const moved = dataOf(await peer.call('task_get', { task_id: 'T-0001' }));
    expect(moved).toMatchObject({ project: 'shop', project_id: expect.stringMatching(/^path-/) });
  });
  expect(await at.run(shop, ['verify'])).toMatchObject({ code: 0 });
  // Who comes later has the same name and gets nothing.
  expect(await during(at, at.repository('b/shop'), titles)).toEqual([]);
  expect(await during(at, shop, titles)).toEqual(['old shop']);
  expect(await at.run(shop, ['verify'])).toMatchObject({ code: 0 });
});

test('a store from before and two projects of one name: neither gets its tasks until a person says whose they are', async () => {
  const at = projects();
  await during(at, at.repository('a/shop'), (peer) => create(peer, 'elsewhere'));
  await during(at, at.repository('b/shop'), (peer) => create(peer, 'elsewhere'));
  sharedStore(at);
  await olderStore(at, ['shop']);
  const [a, b] = [join(at.place.dir, 'a/shop'), join(at.place.dir, 'b/shop')];
  for (const dir of [a, b]) {
    await during(at, dir, async (peer) => {
      expect(await titles(peer)).toEqual([]);
      expect(await titles(peer, { project: '=shop' })).toEqual(['old shop']);
    });
  }
  expect((await at.run(a, ['status'])).stdout.replaceAll(/\s+/g, ' ')).toContain('colibri tasks --of =shop shows them');
  expect((await at.run(a, ['tasks', '--of', '=shop'])).stdout).toContain('old shop');
  expect(await at.run(b, ['init', '--join', '--yes'])).toMatchObject({ code: 0 });
  expect(await during(at, b, titles)).toEqual(['old shop']);
  expect(await during(at, a, titles)).toEqual([]);
  expect(await at.run(a, ['verify'])).toMatchObject({ code: 0 });
});

test('a process that still has the store open from before is told to restart, and writes nothing', async () => {
  const at = projects();
  sharedStore(at);
  const dir = at.repository('shop');
  const peer = await at.serve(dir);
  await create(peer, 'x');
  tamper(at, 'UPDATE logs SET format = format + 1');
  const { error } = (await peer.call('task_create', { title: 'y' })).result.structuredContent;
  expect(error).toMatchObject({ code: expect.stringMatching(/STORE_UPGRADED|AUDIT_ENTER_FAILED/) });
  tamper(at, 'UPDATE logs SET format = format - 1');
  await peer.end();
  expect(await during(at, dir, titles)).toEqual(['x']);
});

test('whoever changes whose a task is, or who took it over, is found', async () => {
  const at = projects();
  sharedStore(at);
  const dir = at.repository('shop');
  await during(at, dir, (peer) => create(peer, 'x'));
  at.write('shop/.colibri/project.json', declares(ID));
  expect(await during(at, dir, titles)).toEqual(['x']);
  expect(await at.run(dir, ['verify'])).toMatchObject({ code: 0 });
  const healthy = fs.readFileSync(at.place.db);
  for (const sql of [
    "UPDATE tasks SET owner = 'somebody'",
    'UPDATE tasks SET owner = NULL',
    'UPDATE tasks SET project_id = NULL',
    `UPDATE tasks SET project_id = '${ID}'`,
    'DELETE FROM adoptions',
    `UPDATE adoptions SET project_id = '${'a'.repeat(32)}'`,
    `INSERT INTO adoptions SELECT '=shop', project_id, salt, log_id, seq FROM adoptions`,
    'UPDATE adoptions SET seq = seq + 1',
  ]) {
    tamper(at, sql);
    expect(await at.run(dir, ['verify']), sql).toMatchObject({ code: 20 });
    fs.writeFileSync(at.place.db, healthy);
  }
});
