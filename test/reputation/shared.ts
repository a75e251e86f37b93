// What the tests of reputation share: work that counts, and the comparison of every tool with a recomputation from the export.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { colibri } from '../support/command-line.js';
import type { AnyClient, Message, Place } from '../support/serve.js';
import { type Event, eventsIn, rowFrom } from './recompute.js';

export const SETS = { COLIBRI_TOOLSETS: 'reputation' };
const DOMAINS = ['execution', 'commissioning', 'arbitration', 'governance', 'social'];

export const call = async (client: AnyClient, tool: string, args: Message = {}): Promise<Message> => {
  const { ok, data, error } = (await client.callTool(tool, args)).structuredContent;
  if (ok === false) return { refused: error };
  return data.ok === false ? { refused: data.error } : data;
};

export const toDone = (lease_token: number) => ({
  lease_token,
  steps: ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'].map((status) => ({
    status,
    note: `entered ${status}`,
  })),
});

/** Claims a task of the client's under that name. */
const claimed = async (client: AnyClient, name: string): Promise<Message> => {
  const { task_id } = await call(client, 'task_create', { title: `for ${name}` });
  const { actions } = await call(client, 'task_next_actions', { claim_by: name, task_id });
  return { task_id, lease_token: actions[0].lease_token };
};

/** A task done, one reopened and cancelled, one handed over: by ada and bob, who are not the client. */
export const work = async (client: AnyClient): Promise<void> => {
  const first = await claimed(client, 'ada');
  await call(client, 'task_update', { task_id: first.task_id, ...toDone(first.lease_token) });
  const second = await claimed(client, 'bob');
  const statuses = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'GATHER'];
  await call(client, 'task_update', { ...second, steps: statuses.map((status) => ({ status, note: 'x' })) });
  await call(client, 'task_update', { ...second, status: 'CANCELLED', note: 'not worth it' });
  const third = await claimed(client, 'bob');
  await call(client, 'task_update', { ...third, status: 'GATHER', note: 'half of it is there', release: true });
  const { actions } = await call(client, 'task_next_actions', { claim_by: 'ada', task_id: third.task_id });
  const rest = toDone(actions[0].lease_token);
  await call(client, 'task_update', { task_id: third.task_id, ...rest, steps: rest.steps.slice(1) });
  const own = await claimed(client, client.name);
  await call(client, 'task_update', { task_id: own.task_id, ...toDone(own.lease_token) }); // counts for nothing
};

export const exported = async (place: Place): Promise<Event[]> => {
  const file = join(place.dir, 'records.jsonl');
  expect(await colibri(place, ['export', '--out', file])).toMatchObject({ code: 0 });
  return eventsIn(fs.readFileSync(file, 'utf8'));
};

/** Everything that the tools say of these nodes is what follows from the export. */
export const expectRecomputed = async (client: AnyClient, events: readonly Event[], epoch: number): Promise<void> => {
  const nodes = [...new Set(events.map(({ node }) => node)), 'nobody'];
  for (const node_id of nodes) {
    const rows = DOMAINS.flatMap((domain) => rowFrom(events, node_id, domain, epoch) ?? []);
    expect((await call(client, 'reputation_get', { node_id, current_epoch: epoch })).rows, node_id).toEqual(rows);
    const [{ domain } = { domain: 'social' }] = rows;
    const one = await call(client, 'reputation_get', { node_id, domain, current_epoch: epoch });
    expect(one.row).toEqual(rows[0] ?? null);
    const history = events.filter((event) => event.node === node_id && event.domain === domain);
    const seen: Message[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await call(client, 'reputation_history', { node_id, domain, limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.events);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(history.map(({ at, good, why, log, seq }) => ({ at, good, why, log, seq })));
  }
  for (const domain of DOMAINS) {
    const rows = nodes.flatMap((node) => rowFrom(events, node, domain, epoch) ?? []);
    rows.sort((a, b) => b.score - a.score || (a.node_id < b.node_id ? -1 : 1));
    const board = await call(client, 'reputation_leaderboard', { domain, current_epoch: epoch });
    expect([board.rows, board.left_off]).toEqual([rows, 0]);
  }
};
