// A store with something of everything that a page shows, made by real processes: two logs, tasks with reasons, a server that breaks, errors, erased contents.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { onHost } from '../ledger2/stores.js';
import { colibri, dataOf } from '../support/command-line.js';
import { freshPlace, type Message, type Peer, type Place, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';

export interface PageStore {
  readonly place: Place;
  readonly task: string;
  /** A thought whose content was erased. */
  readonly erased: string;
}

export const HOSTILE =
  '<img src=x onerror="window.hit=1"></script><script>window.hit=1</script> javascript:window.hit=1 \u001b[31m \u202e\u2066 x';

/** An argument of a megabyte. */
export const HUGE = `huge ${'x'.repeat(1_000_000)}`;

const provider = (name: string) => {
  const entry = fakeServer('provider');
  return { ...entry, args: [...(entry.args as string[]), name] };
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
  };
  writeBoard(place, servers, { routes: { 'find:it': ['search/look', 'archive/look'] } });
  const peer = serve(place);
  await peer.initialize('claude-code');
  await peer.phase2();
  await untilHealthy(peer, 'search', 'archive', 'crashes');
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
  return { place, task, erased: thought.thought_id };
};
