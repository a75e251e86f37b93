// Real sessions with the built server, for the examples: the SDK's client, a scratch folder, nothing of the user's.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { TOOLSETS } from '../../build/config.js';

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

/** Puts a project with a store and one skill, and a switchboard file, into a folder. */
export const furnish = (folder) => {
  const [project, board] = [join(folder, 'shop'), join(folder, 'switchboard.json')];
  const skill = join(project, '.agents', 'skills', 'release-notes');
  for (const inner of [join(project, '.colibri'), skill]) mkdirSync(inner, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), SKILL);
  const server = (name) => ({ command: process.execPath, args: [dist('cli/demo/server.js'), name] });
  const calendar = { server: 'calendar', tool: 'day_name', arguments: { when: '$date' } };
  const routes = { 'date:weekday': ['almanac/weekday_of', calendar] };
  const mcpServers = { almanac: server('almanac'), calendar: server('calendar') };
  writeFileSync(board, JSON.stringify({ mcpServers, routes }));
  return { project, board };
};

/** A folder with a home in it, furnished. */
export class Scratch {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-docs-')));
  home = join(this.folder, 'home');

  constructor() {
    mkdirSync(this.home);
    Object.assign(this, furnish(this.folder));
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
/** All sets of tools, so that every tool has its examples. */
const ALL_SETS = { COLIBRI_TOOLSETS: TOOLSETS.join() };

export const withServer = async (scratch, env, use) => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [dist('cli/main.js'), 'serve'],
    env: scratch.environment({ ...ALL_SETS, ...env }),
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

// The examples of all tools, as one story in three sessions. Before the first call is answered the store is open: every run leaves
// the same records.

const isDigested = async (call) => (await call('skill_list', { search: 'release' })).data.skills[0]?.digest !== null;
const areHealthy = async (call) =>
  (await call('router_stats', {})).data.servers.filter(({ state }) => state === 'HEALTHY').length === 2;

const STORY = [
  {
    tools: [
      ...['task_create', 'task_next_actions', 'task_update', 'task_get', 'task_list'],
      ...['audit_session_start', 'thought_record', 'thought_record_list', 'merkle_finalize'],
    ],
  },
  // By another process: the first one has signed when it ended, so the checkpoint is always the same one.
  {
    tools: [
      'merkle_root',
      'audit_verify_chain',
      'skill_list',
      'reputation_get',
      'reputation_history',
      'reputation_leaderboard',
      'reputation_check_gates',
      'consensus_propose',
      'consensus_vote',
      'consensus_finality',
      'consensus_gossip',
      'vrf_eval',
      'server_ping',
      'server_health',
    ],
    isReady: isDigested,
  },
  {
    tools: ['router_score', 'router_call', 'router_fallback', 'router_stats'],
    needsBoard: true,
    isReady: areHealthy,
  },
];

const untilReady = async (call, isReady) => {
  const until = performance.now() + PATIENCE_MS;
  while (!(await isReady(call))) {
    if (performance.now() > until) throw new Error('the session never became ready for the examples');
    await sleep(POLL_MS);
  }
};

/** `$tool.path` stands for what that tool answered last. */
const filledIn = (value, answers) => {
  if (typeof value === 'string' && value.startsWith('$')) {
    return value
      .slice(1)
      .split('.')
      .reduce((inner, key) => inner[key], answers);
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, answers));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filledIn(inner, answers)]));
};

/**
 * Plays every example of every tool. `serve(needsBoard, use)` starts a server and gives `use` a function that calls a tool and returns
 * the envelope. The store must be new. Returns the calls with their results, in order.
 */
export const playExamples = async (tools, serve) => {
  const left = new Map(tools.map(({ name, definition }) => [name, definition.examples]));
  const answers = {};
  const played = [];
  for (const { tools: names, needsBoard = false, isReady } of STORY) {
    await serve(needsBoard, async (call) => {
      if (isReady !== undefined) await untilReady(call, isReady);
      for (const [tool, example] of names.flatMap((name) => left.get(name).map((one) => [name, one]))) {
        await sleep(2); // two calls in one millisecond would look alike in one run and not in the next
        const args = filledIn(example.args, answers);
        const result = await call(tool, args);
        if (example.error === undefined) answers[tool] = result.data;
        played.push({ tool, arguments: args, result, error: example.error });
      }
      for (const name of names) left.delete(name);
    });
  }
  if (left.size > 0) throw new Error(`no session plays the examples of ${[...left.keys()].join(', ')}`);
  return played;
};

/** The last success of each tool, and one refusal of each pattern. */
export const realExamples = async (scratch, tools) => {
  const played = await playExamples(tools, (needsBoard, use) =>
    withServer(scratch, needsBoard ? { COLIBRI_SWITCHBOARD: scratch.board } : {}, (client) =>
      use(async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent),
    ),
  );
  const successes = played.filter(({ error }) => error === undefined);
  const refused = (code) => played.find(({ error }) => error === code);
  return {
    ...Object.fromEntries(successes.map((one) => [one.tool, one])),
    'pattern A': refused('SESSION_NOT_FOUND'),
    'pattern B': refused('ERR_INVALID_TRANSITION'),
  };
};
