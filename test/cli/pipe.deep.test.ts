// Into a pipe nothing is cut and nothing is broken, whatever a command shows; COLUMNS makes a screen of it.
import { expect, test, vi } from 'vitest';
import { colibri, dataOf, json } from '../support/command-line.js';
import { expectFits, onScreen, peerOf, Running } from '../support/command-output.js';
import { receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Place } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { CLIENT } from './pipe.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

const NAME = `no_such_tool_${'x'.repeat(60)}`;
const TITLE = `a title of many words ${'and of more words '.repeat(8)}to its end`;
const NOTE = Array.from({ length: 9 }, (_, n) => `${n} a reason ${'with many words '.repeat(9)}to its end`).join('\n');
const SERVER = `server-${'with-a-long-name-'.repeat(3)}x`;

const piped = async (place: Place, ...args: string[]): Promise<string> => (await colibri(place, args)).stdout;

const reasons = async (place: Place): Promise<string[]> =>
  json(await colibri(place, ['status', '--json'])).servers.flatMap(({ reason }: Message) => reason ?? []);

test('names, reasons, titles and notes come whole', async () => {
  const place = freshPlace();
  writeBoard(place, { [SERVER]: fakeServer('dead') });
  const peer = await peerOf(place, CLIENT);
  await eventually('the server is out', async () => (await reasons(place)).length === 1, 30_000);
  const refused = receiptOf(await peer.call(NAME, {}))?.call ?? '';
  const { task_id } = dataOf(await peer.call('task_create', { title: TITLE, description: NOTE }));
  await peer.call('task_update', { task_id, status: 'GATHER', note: NOTE });

  const listed = await piped(place, 'log');
  expect(listed).toContain(NAME);
  expect(listed).toContain(CLIENT);
  const [record] = json(await colibri(place, ['log', '--kind', 'health', '--json'])).records;
  expect(await piped(place, 'log', '--kind', 'health')).toContain(record.detail);
  const [reason = ''] = await reasons(place);
  expect(reason.length).toBeGreaterThan(20);
  for (const looking of ['status', 'switchboard', 'doctor'])
    expect(await piped(place, looking), looking).toContain(reason);
  expect(await piped(place, 'tasks')).toContain(TITLE);
  const one = await piped(place, 'tasks', task_id);
  for (const line of NOTE.split('\n')) expect(one.split(line), line).toHaveLength(3);
  expect(await piped(place, 'log', refused)).toContain(NAME);
  const explained = await piped(place, 'log', '--explain', refused);
  for (const sentence of json(await colibri(place, ['log', '--explain', refused, '--json'])).sentences)
    expect(explained).toContain(`  ${sentence}\n`);

  const following = new Running(place, ['log', '--follow', '--tool', `${NAME}2`]);
  await eventually('the head', () => following.lines.length === 1, 30_000);
  await peer.call(`${NAME}2`, {});
  await eventually('the call', () => following.lines.length === 2, 30_000);
  expect(following.lines[1]).toContain(`${NAME}2`);
  following.kill('SIGTERM');
  await following.ended;

  for (const args of [
    ['log'],
    ['status'],
    ['tasks'],
    ['tasks', task_id],
    ['log', '--explain', refused],
    ['switchboard'],
  ]) {
    const shown = await onScreen(place, args);
    expectFits(shown);
    expect(shown.stdout, args.join(' ')).not.toBe(await piped(place, ...args));
  }
  await peer.end();
});
