// Projects side by side in one store, each with a process that belongs to it, and one that belongs to none.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshPlace, type Peer, serve } from '../support/serve.js';
import type { Answer } from './task-tools.js';

const dataOf = (answer: Answer): Answer => answer.result.structuredContent.data;
const titles = async (peer: Peer, args: Answer = {}): Promise<string[]> =>
  dataOf(await peer.call('task_list', args)).tasks.map((task: Answer) => task.title);
const actions = async (peer: Peer, args: Answer = {}): Promise<string[]> =>
  dataOf(await peer.call('task_next_actions', args)).actions.map(({ task }: Answer) => task.title);

test('agents see and claim their project’s tasks; all of them with *, or where there is no project', async () => {
  const place = freshPlace();
  const start = async (project: string | undefined): Promise<Peer> => {
    const dir = join(place.dir, 'work', project ?? '');
    mkdirSync(join(dir, ...(project === undefined ? [] : ['.git'])), { recursive: true });
    const peer = serve(place, { env: project === undefined ? {} : { COLIBRI_PROJECT_DIR: dir } });
    await peer.initialize();
    await peer.phase2();
    return peer;
  };
  const a = await start('alpha');
  const b = await start('beta');
  const none = await start(undefined);
  for (const peer of [a, b, none]) {
    const title = peer === a ? 'of alpha' : peer === b ? 'of beta' : 'of none';
    const made = dataOf(await peer.call('task_create', { title, priority: peer === b ? 'urgent' : 'low' }));
    const { project } = dataOf(await peer.call('task_get', { task_id: made.task_id }));
    expect(project).toBe(peer === none ? null : title.slice(3));
  }
  await a.call('task_create', { title: 'sent over', project: 'beta', depends_on: ['T-0001'] });

  expect(await titles(a)).toEqual(['of alpha']);
  expect(await titles(b)).toEqual(['of beta', 'sent over']);
  expect(await titles(a, { project: 'beta' })).toEqual(['of beta', 'sent over']);
  const everything = ['of alpha', 'of beta', 'of none', 'sent over'];
  for (const peer of [a, b]) expect(await titles(peer, { project: '*' })).toEqual(everything);
  expect(await titles(none)).toEqual(everything);
  expect(await titles(none, { project: 'alpha' })).toEqual(['of alpha']);
  expect(await titles(a, { search: 'of' })).toEqual(['of alpha']);

  expect(await actions(a)).toEqual(['of alpha']);
  expect(await actions(a, { project: '*' })).toEqual(['of beta', 'of alpha', 'of none']);
  expect(await actions(none)).toEqual(['of beta', 'of alpha', 'of none']);
  expect(dataOf(await a.call('task_next_actions', {})).blocked).toEqual([]);
  expect(dataOf(await b.call('task_next_actions', {})).blocked).toEqual([{ task_id: 'T-0004', waits_for: ['T-0001'] }]);

  // However urgent the other project's task is.
  expect(await actions(a, { claim_by: 'ann' })).toEqual(['of alpha']);
  expect(await actions(a, { claim_by: 'ann', another: true })).toEqual([]);
  expect(await actions(a, { claim_by: 'ann', project: '*', another: true })).toEqual(['of beta']);
  expect(await actions(none, { claim_by: 'ann' })).toEqual(['of none']);
  for (const peer of [a, b, none]) await peer.end();
});
