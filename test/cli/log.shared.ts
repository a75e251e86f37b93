// What log.test.ts and log.deep.test.ts share: the command, and a store with many kinds of calls.
import { dataOf, json, type Ran } from '../support/command-line.js';
import { onScreen, peerOf } from '../support/command-output.js';
import { receiptOf } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Place } from '../support/serve.js';

export const soon = (what: string, seen: () => boolean | Promise<boolean>) => eventually(what, seen, 30_000);
export const log = (place: Place, ...args: string[]): Promise<Ran> => onScreen(place, ['log', ...args]);
export const calls = async (place: Place, ...args: string[]): Promise<Message[]> =>
  json(await log(place, ...args, '--json')).calls;

/** Two clients, several outcomes, a task with its session. */
export const mixedStore = async () => {
  const place = freshPlace();
  const first = await peerOf(place, 'claude-code');
  const { task_id } = dataOf(await first.call('task_create', { title: 'Find the leak' }));
  await first.call('task_update', { task_id, status: 'GATHER', note: 'looked at the logs' });
  const started = dataOf(await first.call('audit_session_start', { intent: 'x', session_id: 'a "b" %' }));
  await first.call('thought_record', { type: 'plan', content: 'y', session_id: started.session_id });
  await first.end();
  const second = await peerOf(place, 'cursor');
  await second.call('task_get', { task_id: 't-1' });
  await second.call('task_get', { task_id: 'T-9' });
  await second.call('task_get', { task_id: 'T-21' });
  await second.call('task_get', { tsk: 1 });
  await second.call('nobody_has_it', {});
  await second.end();
  return { place, task_id, session_id: started.session_id };
};

/** So many calls of task_list by a client of that name: where they stand in the log. */
export const listTasksAs = async (place: Place, client: string, n: number): Promise<number[]> => {
  const peer = await peerOf(place, client);
  const answers = await Promise.all(Array.from({ length: n }, () => peer.call('task_list', {}, 30_000)));
  await peer.end();
  return answers.map((answer) => receiptOf(answer)?.seq ?? -1);
};
