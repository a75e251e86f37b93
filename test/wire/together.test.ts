// The same traffic twice: each call alone, which runs from line to line without waiting, and all calls in flight together. The answers are the same
// bytes, but for ids, times and what a receipt says.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Message, modernMeta, type Peer, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['old', 'new'] as const;
type Era = (typeof ERAS)[number];

/** Own reads, own writes, proxied calls, and calls that fail in every stage. None of them depends on another. */
const TRAFFIC: readonly (readonly [name: unknown, args?: unknown])[] = [
  ['server_ping', {}],
  ['server_ping', { text: 'grüße 😀 \u2028 \t "' }],
  ['server_ping'],
  ['server_ping', null],
  ['server_ping', 'text'],
  ['task_list', {}],
  ['task_list', { limit: -1 }],
  ['task_list', { unknown: true }],
  ['task_get', { task_id: 'T-9999' }],
  ['task_update', { task_id: 'T-9999', status: 'GATHER' }],
  ['task_create', {}],
  ['task_create', { title: 'x', depends_on: ['T-9999'] }],
  ['thought_list', { session: 'nobody' }],
  ['nobody', { a: 1 }],
  [7, {}],
  ['plain__echo', { a: 1, text: 'ü\n' }],
  ['plain__echo', {}],
  ['plain__echo'],
  ['plain__fail', {}],
  ['plain__nobody', {}],
  ['plain__progress', {}],
  ['nobody__echo', {}],
];

const request = (era: Era, id: string, [name, args]: (typeof TRAFFIC)[number]): object => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: {
    name,
    ...(args !== undefined && { arguments: args }),
    ...(era === 'new' && { _meta: modernMeta('together') }),
  },
});

/** A line without what must differ between two runs: times, ids and the numbers of a receipt. */
const plainly = (line: string): string =>
  line
    .replaceAll(/"dev\.colibri\/receipt":\{[^}]*\}/g, '"dev.colibri/receipt":{}')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<id>')
    .replaceAll(/\\?"(uptime_ms|uptimeMs|duration_ms|uptime_seconds)\\?":[\d.]+/g, '<duration>');

const answersOf = (peer: Peer): string[] =>
  peer.lines
    .filter((line) => typeof (JSON.parse(line) as Message).id === 'string')
    .map(plainly)
    .toSorted();

const play = async (era: Era, together: boolean): Promise<{ answers: string[]; calls: string[] }> => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const peer = serve(place);
  if (era === 'old') await peer.initialize('together', '2025-11-25');
  await peer.phase2();
  await untilHealthy(peer, 'plain');
  // The first call opens the fast lane.
  const first = peer.answer('first');
  peer.send(request(era, 'first', ['server_ping', {}]));
  await first;
  const waiting = TRAFFIC.map((_, i) => `t${String(i).padStart(2, '0')}`).map((id) => ({
    id,
    answer: peer.answer(id),
  }));
  const lines = waiting.map(({ id }, i) => `${JSON.stringify(request(era, id, TRAFFIC[i] ?? ['']))}\n`);
  if (together) peer.write(lines.join(''));
  for (const [i, { answer }] of waiting.entries()) {
    if (!together) peer.write(lines[i] ?? '');
    await answer;
  }
  const answers = answersOf(peer);
  expect((await peer.end()).code).toBe(0);
  expect(fs.readdirSync(join(`${place.db}.journal`))).toEqual([]);
  return { answers, calls: new Ledger(place.db).calls.toSorted() };
};

test.each(ERAS)('%s era: alone and together, calls get the same answers and the same records', async (era) => {
  const [alone, together] = await Promise.all([play(era, false), play(era, true)]);
  expect(alone.answers).toHaveLength(TRAFFIC.length + 1);
  expect(together.answers).toEqual(alone.answers);
  expect(together.calls).toEqual(alone.calls);
  expect(together.answers.filter((line) => line.includes('"dev.colibri/receipt":{}')).length).toBeGreaterThan(15);
});
