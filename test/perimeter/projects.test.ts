// Rule: a project has an identity, not only a name. Two folders of one name share nothing, and an id that a repository ships shares
// nothing until a person says yes.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { create, dataOf, declares, during, ID, projects, sharedStore, titles } from './projects.shared.js';

test('two folders of one name on the shared store share neither lists nor claims nor keys', async () => {
  const at = projects();
  const [one, two] = await Promise.all(['a/shop', 'b/shop'].map((path) => at.serve(at.repository(path))));
  if (one === undefined || two === undefined) throw new Error('not started');
  const made = await create(one, 'of a', { idempotency_key: 'k', priority: 'urgent' });
  expect(await titles(two)).toEqual([]);
  expect(made).toMatchObject({ project: 'shop', project_id: expect.stringMatching(/^path-[0-9a-f]{32}$/) });
  expect(await titles(two, { project: 'shop' })).toEqual([]);
  expect(await titles(two, { search: 'of a' })).toEqual([]);
  expect(dataOf(await two.call('task_next_actions', { claim_by: 'eve' }))).toMatchObject({ actions: [], blocked: [] });
  const other = await create(two, 'of a', { idempotency_key: 'k', priority: 'urgent' });
  expect(other.task_id).not.toBe(made.task_id);
  expect(await titles(two, { project: '*' })).toEqual(['of a', 'of a']);
  expect(await titles(two, { project: made.project_id })).toEqual(['of a']);
  await one.end();
  await two.end();
});

deepTest('a name that two others have is refused with both ids and paths; an id or * finds them', async () => {
  const at = projects();
  const [a, b, c] = [at.repository('a/shop'), at.repository('b/shop'), at.repository('c/other')];
  const ids: string[] = [];
  for (const dir of [a, b]) ids.push((await during(at, dir, (peer) => create(peer, `of ${dir}`))).project_id);
  await during(at, c, async (peer) => {
    for (const [tool, args] of [
      ['task_list', {}],
      ['task_next_actions', { claim_by: 'eve' }],
      ['task_create', { title: 'x' }],
      ['task_update', { task_id: 'T-0001' }],
    ] as const) {
      const { error } = dataOf(await peer.call(tool, { ...args, project: 'shop' }));
      expect(error, tool).toMatchObject({ code: 'ERR_AMBIGUOUS_PROJECT' });
      const named = error.details.projects.map(({ project_id, dir }: Record<string, string>) => [project_id, dir]);
      expect(named.toSorted()).toEqual(
        [
          [ids[0], a],
          [ids[1], b],
        ].toSorted(),
      );
    }
    expect(await titles(peer, { project: ids[0] })).toEqual([`of ${a}`]);
    expect(await create(peer, 'sent', { project: ids[1] })).toMatchObject({ project: 'shop', project_id: ids[1] });
    expect(await titles(peer, { project: ids[1] })).toEqual([`of ${b}`, 'sent']);
  });
  const board = await at.run(a, ['tasks']);
  expect(board.stdout).toContain(`project shop (${ids[0]})`);
  expect(await at.run(c, ['tasks', '--of', 'shop'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2 projects are called "shop"'),
  });
  expect((await at.run(c, ['tasks', '--of', ids[0] ?? ''])).stdout).toContain(`of ${a}`);
});

test('an id that a repository ships shares nothing until a person joins, and says how', async () => {
  const at = projects();
  sharedStore(at);
  const mine = at.repository('mine/shop');
  at.write('mine/shop/.colibri/project.json', declares(ID));
  expect(await during(at, mine, (peer) => create(peer, 'secret plan'))).toMatchObject({ project_id: ID });
  const theirs = at.repository('clone/shop');
  at.write('clone/shop/.colibri/project.json', declares(ID));
  await during(at, theirs, async (peer) => {
    expect(await titles(peer)).toEqual([]);
    expect((await create(peer, 'of the clone')).project_id).toMatch(/^path-/);
    expect(peer.stderr).toContain(`The id ${ID} in .colibri/project.json is not used`);
    expect(peer.stderr).toContain('colibri init --join');
  });
  for (const command of ['status', 'doctor']) {
    const { stdout } = await at.run(theirs, [command]);
    expect(stdout.replaceAll(/\s+/g, ' '), command).toContain('colibri init --join');
  }
  const unasked = await at.run(theirs, ['init', '--join']);
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no terminal to ask you on') });
  expect(await during(at, theirs, titles)).toEqual(['of the clone']);

  expect(await at.run(theirs, ['init', '--join', '--yes'])).toMatchObject({ code: 0 });
  expect(await during(at, theirs, titles)).toEqual(['secret plan', 'of the clone']);
  expect(await during(at, mine, titles)).toEqual(['secret plan', 'of the clone']);
  expect(await at.run(mine, ['verify'])).toMatchObject({ code: 0 });
});

deepTest.each([
  ['a folder that is a link to another project’s', '.colibri'],
  ['a store that is a link to another project’s', join('.colibri', 'colibri.db')],
])('%s: nothing of it is read or taken over', async (_, link) => {
  const at = projects();
  const mine = at.repository('mine');
  const theirs = at.repository('theirs');
  fs.mkdirSync(join(mine, '.colibri'));
  await during(at, mine, (peer) => create(peer, 'Mine'));
  fs.mkdirSync(dirname(join(theirs, link)), { recursive: true });
  fs.symlinkSync(join(mine, link), join(theirs, link));
  const seen = await during(at, theirs, async (peer) => [
    ...(await titles(peer)),
    ...(await titles(peer, { project: '*' })),
  ]);
  expect(seen).toEqual([]);
  expect(await during(at, mine, titles)).toEqual(['Mine']);
});

/** Only root can give a folder to another user. */
deepTest.skipIf(process.getuid?.() !== 0)(
  'a .colibri folder that another user made in a folder for everybody gets no records',
  async () => {
    const at = projects();
    const shared = join(at.place.dir, 'shared');
    const theirs = join(shared, '.colibri');
    fs.mkdirSync(theirs, { recursive: true });
    fs.mkdirSync(join(shared, 'work'));
    fs.chmodSync(shared, 0o1777);
    fs.chmodSync(theirs, 0o777);
    fs.chownSync(theirs, 54_321, 54_321);
    await during(at, join(shared, 'work'), (peer) => create(peer, 'Mine'));
    expect(fs.readdirSync(theirs)).toEqual([]);
  },
);
