// A store with something of everything that a page shows, made by real processes: two logs, tasks with reasons, a server that breaks, errors, erased contents,
// a call that a person allowed and one that waits, and names as only somebody who means harm gives them.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { onHost } from '../ledger2/stores.js';
import { colibri, dataOf } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, MAIN, type Message, type Peer, type Place, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { approve } from '../trust/answering.js';
import { errorOf, STAND_IN } from '../trust/places.js';

export interface PageStore {
  readonly place: Place;
  readonly task: string;
  /** A thought whose content was erased. */
  readonly erased: string;
  /** The call that a person allowed. */
  readonly allowed: string;
}

export const HOSTILE =
  '<img src=x onerror="window.hit=1"></script><script>window.hit=1</script> javascript:window.hit=1 \u001b[31m \u202e\u2066 x';

/** An argument of a megabyte. */
export const HUGE = `huge ${'x'.repeat(1_000_000)}`;

const provider = (name: string, more: object = {}) => {
  const entry = fakeServer('provider');
  return { ...entry, args: [...(entry.args as string[]), name], ...more };
};

/** The data of an answer that must not be a refusal. */
const fine = (answer: Message): Message => {
  if (answer.result?.structuredContent?.ok !== true) throw new Error(JSON.stringify(answer));
  return dataOf(answer);
};

const TITLES = ['Write the release notes', 'Move the archive to the new disk', 'Look at the flaky test'];
const NOTES = [
  ['GATHER', 'Looked at the logs: the heap grows with every file that is read.'],
  ['ANALYZE', 'The cache never lets go of a closed file.'],
  ['PLAN', 'Decided for a bound of 200 entries and against a timer: one line, and nothing to invalidate.'],
] as const;

const plan = async (peer: Peer): Promise<string> => {
  const description = 'Memory grows by 40 MB an hour since the last release.';
  const asked = { title: 'Find the leak in the importer', description, priority: 'urgent', claim_by: 'ada' };
  const made = fine(await peer.call('task_create', asked));
  const { task_id } = made;
  const token = made.lease_token ?? made.lease?.token;
  for (const [status, note] of NOTES)
    fine(await peer.call('task_update', { task_id, status, note, lease_token: token }));
  for (const title of TITLES) fine(await peer.call('task_create', { title }));
  fine(await peer.call('task_create', { title: HOSTILE, description: HOSTILE }));
  await peer.call('task_update', { task_id: 'T-0004', status: 'DONE' }); // refused
  await peer.call('task_get', { task_id: 'T-0999' });
  await peer.call('nobody_has_it', { path: '/etc/passwd' });
  return task_id;
};

/** A call that a person allows, and another for which nobody said yes yet. */
const askPeople = async (peer: Peer, place: Place): Promise<string> => {
  const args = { id: 'photos of 2019' };
  const asked = await peer.call('vault__act', args);
  const approval_id = errorOf(asked.result ?? {})?.details.approval_id ?? '';
  const { code, text } = await approve(place, approval_id);
  if (code !== 0) throw new Error(text);
  const allowed = await peer.call('vault__act', args);
  await peer.call('vault__act', { id: HOSTILE });
  return receiptOf(allowed)?.call ?? '';
};

const breakServer = async (peer: Peer, sick: string): Promise<void> => {
  for (let n = 0; n < 3; n++) await peer.call('crashes__echo', { path: `/srv/data/${n}.csv` });
  fs.writeFileSync(sick, '');
  for (let n = 0; n < 6; n++) await peer.call('crashes__echo', { path: `/srv/data/${n}.csv` }, 60_000);
};

/** `calls`: how many further calls there are; two records each. */
export const pageStore = async (calls = 60, place: Place = freshPlace()): Promise<PageStore> => {
  const sick = join(place.dir, 'sick');
  const servers = {
    search: provider('search'),
    archive: provider('archive'),
    crashes: fakeServer('crashes', { SICK: sick }),
    vault: provider('vault', { tools: { ask: ['act'] }, ask: { via: ['command'], minutes: 60 } }),
  };
  writeBoard(place, servers, { routes: { 'find:it': ['search/look', 'archive/look'] } });
  // The test answers like a person, so it must not count as the client.
  const peer = serve(place, { detached: true, args: [STAND_IN, MAIN, 'serve'] });
  await peer.initialize('claude-code');
  await peer.phase2();
  await untilHealthy(peer, 'search', 'archive', 'crashes', 'vault');
  const task = await plan(peer);
  const thought = dataOf(
    await peer.call('thought_record', {
      type: 'decision',
      content: 'The customer lives in Sesame Street 17.',
      agent_id: 'ada',
    }),
  );
  for (let n = 0; n < 8; n++) await peer.call('search__look', { id: `order ${n}`, no: n % 4 === 3 });
  await peer.call('search__act', { id: HOSTILE });
  await peer.call('search__act', { id: HUGE }, 60_000);
  for (const name of [HOSTILE, HUGE]) await peer.call(name, { [HOSTILE]: HOSTILE }, 60_000);
  const allowed = await askPeople(peer, place);
  await breakServer(peer, sick);
  for (let n = 0; n < calls; n += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, calls - n) }, (_, i) =>
        peer.call('search__look', { id: `batch ${n + i}` }, 60_000),
      ),
    );
  await peer.end();
  await session(place, async (other) => void (await other.call('task_list', {})), onHost('elsewhere'));
  await colibri(place, ['erase', thought.thought_id, '--reason', 'asked by the customer', '--yes']);
  return { place, task, erased: thought.thought_id, allowed };
};
