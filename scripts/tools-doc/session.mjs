// A real session with the built server, for the examples: the SDK's client, a scratch folder, nothing of the user's.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const dist = (path) => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));

export const MODES = ['FULL', 'READONLY', 'TEST', 'MINIMAL'];
const PATIENCE_MS = 30_000;
const POLL_MS = 25;

const SKILL = `---
name: release-notes
description: How we write release notes. Use it when a task ends in something users will see.
license: Apache-2.0
metadata:
  version: "1.2"
---
Say what changed for whom, in one line each.
`;

/** A folder with a home, a project that has a store and one skill, and a switchboard file. */
export class Scratch {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-docs-')));
  home = join(this.folder, 'home');
  project = join(this.folder, 'shop');
  board = join(this.folder, 'switchboard.json');

  constructor() {
    const skill = join(this.project, '.agents', 'skills', 'release-notes');
    for (const folder of [this.home, join(this.project, '.colibri'), skill]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(skill, 'SKILL.md'), SKILL);
    const server = (name) => ({ command: process.execPath, args: [dist('cli/demo/server.js'), name] });
    const calendar = { server: 'calendar', tool: 'day_name', arguments: { when: '$date' } };
    const routes = { 'date:weekday': ['almanac/weekday_of', calendar] };
    const mcpServers = { almanac: server('almanac'), calendar: server('calendar') };
    writeFileSync(this.board, JSON.stringify({ mcpServers, routes }));
  }

  environment(env) {
    return { ...getDefaultEnvironment(), HOME: this.home, TMPDIR: this.folder, ...env };
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Asked to end, it signs; the SDK alone would kill one that is slow. */
const ended = async (pid) => {
  if (pid === null || !isAlive(pid)) return;
  process.kill(pid, 'SIGTERM');
  const until = performance.now() + PATIENCE_MS;
  while (isAlive(pid) && performance.now() < until) await sleep(POLL_MS);
};

/** Starts a server, gives a client on it to `use`, and waits until the server is gone. */
export const withServer = async (scratch, env, use) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [dist('cli/main.js'), 'serve'],
    env: scratch.environment(env),
    cwd: scratch.project,
    stderr: 'pipe',
  });
  transport.stderr.resume();
  const client = new Client({ name: 'ada', version: '1.0.0' });
  try {
    await client.connect(transport);
    return await use(client);
  } finally {
    await ended(transport.pid);
    await client.close();
  }
};

export const namesListed = async (client) =>
  (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map(({ name }) => name);

/** Which tools each mode lists, with a switchboard file at hand. */
export const listedByMode = async (scratch) => {
  const lists = {};
  for (const mode of MODES) {
    const env = { COLIBRI_MODE: mode, COLIBRI_SWITCHBOARD: scratch.board };
    lists[mode] = (await withServer(scratch, env, namesListed)).filter((name) => !name.includes('__'));
  }
  return lists;
};

/** One call as the document shows it. */
const asker =
  (client, shown) =>
  async (tool, args, as = tool) => {
    await sleep(2); // two calls in one millisecond would look alike in one run and not in the next
    const { structuredContent } = await client.callTool({ name: tool, arguments: args });
    shown[as] = { tool, arguments: args, result: structuredContent };
    return structuredContent.data;
  };

/** Asks until the answer is the one that can be shown. */
const askUntil = async (call, tool, args, isReady) => {
  const until = performance.now() + PATIENCE_MS;
  while (!isReady(await call(tool, args))) {
    if (performance.now() > until) throw new Error(`${tool} never gave the answer to show`);
    await sleep(POLL_MS);
  }
};

/** Before the first call is answered the store is open: every run leaves the same records. */
const work = async (client, shown) => {
  const call = asker(client, shown);
  const { task_id } = await call('task_create', { title: 'Find out why the search is slow' });
  await call('task_create', {
    title: 'Add the missing index',
    description: 'One index on orders(date), if that is what the measurements say.',
    priority: 'high',
    depends_on: [task_id],
    idempotency_key: 'add-index-1',
  });
  const { actions } = await call('task_next_actions', { claim_by: 'ada' });
  const { lease_token } = actions[0];
  const note = 'Collected a day of slow queries.';
  await call('task_update', { task_id, status: 'GATHER', note, lease_token });
  await call('task_update', { task_id, status: 'DONE', lease_token }, 'pattern B');
  await call('task_get', { task_id });
  await call('task_list', { status: ['INIT', 'GATHER'], limit: 1 });
  const { session_id } = await call('audit_session_start', { intent: 'Choose between an index and a cache', task_id });
  const content = 'An index: one line to add, and nothing to invalidate. A cache would be faster and wrong at times.';
  const { thought_id } = await call('thought_record', { type: 'decision', content, session_id });
  await call('thought_record', { type: 'decision', content: 'An index.', session_id: 'monday' }, 'pattern A');
  await call('thought_record_list', { session_id });
  await call('merkle_finalize', { session_id });
  return { session_id, thought_id };
};

/** By another process: the first one has signed when it ended, so the checkpoint is always the same one. */
const lookBack = async (client, shown, { session_id, thought_id }) => {
  const call = asker(client, shown);
  await call('merkle_root', { session_id, thought_id });
  await call('audit_verify_chain', { session_id });
  await askUntil(call, 'skill_list', { search: 'release' }, ({ skills }) => skills[0]?.digest !== null);
  await call('server_ping', {});
  await call('server_health', {});
};

const route = async (client, shown) => {
  const call = asker(client, shown);
  const areHealthy = ({ servers }) => servers.filter(({ state }) => state === 'HEALTHY').length === 2;
  await askUntil(call, 'router_stats', {}, areHealthy);
  await call('router_score', { route: 'date:weekday' });
  await call('router_call', { server: 'calendar', tool: 'day_name', arguments: { when: '1969-07-20' } });
  await call('router_fallback', { route: 'date:weekday', arguments: { date: '1969-07-20' } });
  await call('router_stats', { server: 'calendar' });
};

/** Calls and results by the tool's name, and one refusal of each pattern. The store must be new. */
export const realExamples = async (scratch) => {
  const shown = {};
  const made = await withServer(scratch, {}, (client) => work(client, shown));
  await withServer(scratch, {}, (client) => lookBack(client, shown, made));
  await withServer(scratch, { COLIBRI_SWITCHBOARD: scratch.board }, (client) => route(client, shown));
  return shown;
};
