// The words of an error are kept and told the day after: the server's own, ours, and what a server wrote before it died.
import { expect, test, vi } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { onScreen } from '../support/command-output.js';
import { freshPlace, session } from '../support/serve.js';
import { board, callId, keptWords, ready, said } from './words.shared.js';

vi.setConfig({ testTimeout: 60_000 });

test('what went wrong yesterday is told in the words of those who said it, and erase reaches them', async () => {
  const place = freshPlace();
  board(place);
  const { value: ids } = await session(place, async (peer) => {
    await ready(peer);
    const failed = await said(peer, 'fail', 'no row 7 in table orders');
    const refused = await said(peer, 'refuse', 'the index is being rebuilt');
    const unfit = await peer.call('says__fail', { txt: 'x' });
    const bad = await peer.call('task_get', { tsk: 1 });
    const ours = await peer.call('task_get', { task_id: 'T-9' });
    const died = await said(peer, 'die', 'panic: index out of range');
    return { failed, refused, unfit, bad, ours, died };
  });
  const explained = async (answer: (typeof ids)['failed']): Promise<string> =>
    (await onScreen(place, ['log', '--explain', callId(answer)])).stdout;
  expect(await explained(ids.failed)).toContain('no row 7 in table orders');
  expect(await explained(ids.refused)).toMatch(/the index is being rebuilt[\s\S]*with this data/);
  expect(await explained(ids.unfit)).toMatch(/required property 'text'/);
  expect(await explained(ids.bad)).toMatch(/was told:[\s\S]*task_id is missing/);
  expect(await explained(ids.ours)).toMatch(/was told:[\s\S]*There is no task T-0009/);
  expect(await explained(ids.died)).toMatch(
    /not have done its work[\s\S]*exited with code 7[\s\S]*stderr:[\s\S]*starting the work[\s\S]*panic: index out of range/,
  );
  const one = json(await colibri(place, ['log', callId(ids.failed).slice(0, 13), '--json']));
  expect(one).toMatchObject({
    call: { is_error: true },
    words: { kept: 'stored', message: 'no row 7 in table orders' },
  });

  const list = async (...args: string[]): Promise<string[]> =>
    json(await colibri(place, ['log', '--json', ...args])).calls.map(({ tool }: { tool: string }) => tool);
  expect(await list('--outcome', 'is_error')).toEqual(['says__fail']);
  expect(await list('--outcome', 'ok')).not.toContain('says__fail');
  expect(await list('--failed')).toEqual([
    'says__die',
    'task_get',
    'task_get',
    'says__fail',
    'says__refuse',
    'says__fail',
  ]);
  expect((await onScreen(place, ['log', '--outcome', 'is_error'])).stdout).toMatch(
    /says__fail +text=no row 7.* is_error/,
  );

  const verify = async (): Promise<number | null> => (await colibri(place, ['verify'])).code;
  expect(await verify()).toBe(0);
  const erase = ['erase', callId(ids.failed), callId(ids.died), '--reason', 'a name', '--yes'];
  expect(await colibri(place, erase)).toMatchObject({ code: 0 });
  expect(JSON.stringify(keptWords(place))).not.toMatch(/no row 7|panic/);
  expect(await explained(ids.failed)).toContain('erased or pruned');
  expect(await verify()).toBe(0);
  expect(await colibri(place, ['prune', '--before', new Date().toISOString(), '--yes'])).toMatchObject({ code: 0 });
  expect(keptWords(place)).toEqual([]);
  expect(await verify()).toBe(0);
});
