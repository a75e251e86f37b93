// What docs/tools.md says about results, held against results: every tool's success and every error that is described
// with its details, from real processes. The shapes are those the document is made from.

import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Peer, type Place, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { codeIn, documented } from '../support/tool-definitions.js';
import { onOwnTerminal } from '../trust/answering.js';

const { COMMON, DATA, NOTES } = await documented();

/** `tool` for a success, `tool CODE` for an error. */
const seen = new Set<string>();

const parsed = (shape: z.ZodType | undefined, value: unknown, what: string): void => {
  const result = shape?.safeParse(value);
  const issues = result?.error?.issues ?? [];
  expect(issues, `${what}\n${JSON.stringify(value)}`).toEqual([]);
};

const holdError = (tool: string, error: Message, isInData: boolean): void => {
  const code = codeIn(error);
  const what = `${tool} ${code}`;
  expect(error.message.length, what).toBeLessThanOrEqual(300);
  const documented = NOTES[tool]?.errors[code];
  if (documented === undefined) {
    expect(COMMON, what).toContain(code);
    return;
  }
  expect(isInData, what).toBe(code.startsWith('ERR_'));
  parsed(documented.details, error.details, what);
  seen.add(what);
};

/** Calls, holds the answer to the document, returns `data` or the error. */
const caller =
  (peer: Peer) =>
  async (tool: string, args: Message = {}): Promise<Message> => {
    const { result } = await peer.call(tool, args);
    const { ok, data, error } = result.structuredContent;
    if (ok === false) holdError(tool, error, false);
    else if (data.ok === false) holdError(tool, data.error, true);
    else {
      parsed(DATA[tool], data, tool);
      seen.add(tool);
    }
    return ok === false ? error : (data.error ?? data);
  };

type Call = ReturnType<typeof caller>;

const serving = async (place: Place, use: (call: Call) => Promise<void>, env: Record<string, string> = {}) => {
  await session(place, (peer) => use(caller(peer)), { env });
};

const codeOf = async (answer: Promise<Message>): Promise<string> => codeIn(await answer);

/** Moves a task through states, without a note. */
const walk = async (call: Call, task_id: string, ...states: readonly string[]) => {
  for (const status of states) await call('task_update', { task_id, status });
};

describe('tasks', () => {
  it('answer as described', async () => {
    const place = freshPlace();
    await serving(place, async (call) => {
      const key = { idempotency_key: 'k' };
      const first = await call('task_create', { title: 'first', description: 'all of it', priority: 'high', ...key });
      await call('task_create', { title: 'first', description: 'all of it', priority: 'high', ...key });
      expect(await codeOf(call('task_create', { title: 'another', ...key }))).toBe('ERR_IDEMPOTENCY_MISMATCH');
      const second = await call('task_create', { title: 'second', depends_on: [first.task_id] });
      expect(await codeOf(call('task_create', { title: 'x', depends_on: ['T-9999'] }))).toBe('ERR_NOT_FOUND');
      const plan = [
        { ref: 'a', title: 'a' },
        { title: 'b', depends_on: ['#a'] },
      ];
      await call('task_create', { tasks: plan });
      const ring = [
        { ...plan[0], depends_on: ['#b'] },
        { ...plan[1], ref: 'b' },
      ];
      expect(await codeOf(call('task_create', { tasks: ring }))).toBe('ERR_DEPENDENCY_CYCLE');
      const gone = await call('task_create', { title: 'gone', claim_by: 'ada' });
      const end = { task_id: gone.task_id, status: 'CANCELLED', lease_token: gone.lease_token };
      await call('task_update', { ...end, note: 'not needed', ...key });
      await call('task_update', { ...end, note: 'not needed', ...key });
      expect(await codeOf(call('task_update', { ...end, note: 'other', ...key }))).toBe('ERR_IDEMPOTENCY_MISMATCH');
      const onGone = { depends_on: [gone.task_id] };
      expect(await codeOf(call('task_create', { title: 'x', ...onGone }))).toBe('ERR_DEPENDENCY_CANCELLED');
      const stuck = { task_id: second.task_id, ...onGone };
      expect(await codeOf(call('task_update', stuck))).toBe('ERR_DEPENDENCY_CANCELLED');
      await call('task_get', { task_id: first.task_id });
      expect(await codeOf(call('task_get', { task_id: 'T-9999' }))).toBe('ERR_NOT_FOUND');

      const { task_id } = first;
      expect(await codeOf(call('task_update', { task_id, status: 'DONE' }))).toBe('ERR_INVALID_TRANSITION');
      expect(await codeOf(call('task_update', { task_id: 'T-9999' }))).toBe('ERR_NOT_FOUND');
      expect(await codeOf(call('task_update', { task_id, expected_version: 7 }))).toBe('ERR_VERSION_CONFLICT');
      expect(await codeOf(call('task_update', { task_id, depends_on: [second.task_id] }))).toBe('ERR_DEPENDENCY_CYCLE');
      expect(await codeOf(call('task_update', { task_id, lease_token: 5 }))).toBe('ERR_LEASE_LOST');
      await walk(call, second.task_id, 'GATHER', 'ANALYZE', 'PLAN');
      expect(await codeOf(call('task_update', { task_id: second.task_id, status: 'APPLY' }))).toBe('ERR_BLOCKED');
      await walk(call, task_id, 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY');
      expect(await codeOf(call('task_update', { task_id, status: 'DONE' }))).toBe('ERR_WRITEBACK_REQUIRED');
      await call('task_update', { task_id, status: 'DONE', note: 'it works', assignee: 'ada' });

      await call('task_list', { status: ['DONE', 'PLAN'], limit: 1 });
      const { next_cursor } = await call('task_list', { limit: 1 });
      await call('task_list', { limit: 1, cursor: next_cursor });
      expect(await codeOf(call('task_list', { cursor: 'forged' }))).toBe('INVALID_PARAMS');
      expect(await codeOf(call('task_list', { stauts: 'DONE' }))).toBe('INVALID_PARAMS');
    });
  });

  it('of two projects of one name are asked for by id', async () => {
    const place = freshPlace();
    for (const dir of ['a/shop', 'b/shop'].map((path) => join(place.dir, path))) {
      fs.mkdirSync(join(dir, '.git'), { recursive: true });
      const inside = { COLIBRI_PROJECT_DIR: dir };
      await serving(place, async (call) => void (await call('task_create', { title: dir })), inside);
    }
    await serving(place, async (call) => {
      const project = 'shop';
      for (const [tool, args] of [
        ['task_list', {}],
        ['task_next_actions', {}],
        ['task_create', { title: 'x' }],
        ['task_update', { task_id: 'T-0001' }],
      ] as const) {
        expect(await codeOf(call(tool, { ...args, project }))).toBe('ERR_AMBIGUOUS_PROJECT');
      }
    });
  });

  it('are handed out as described', async () => {
    const place = freshPlace();
    await serving(place, async (call) => {
      expect((await call('task_next_actions')).reason).not.toBeNull();
      const { task_id } = await call('task_create', { title: 'first' });
      await call('task_create', { title: 'second', depends_on: [task_id] });
      await call('task_next_actions');
      const { actions } = await call('task_next_actions', { claim_by: 'ada' });
      expect(actions[0].lease_token).toBeGreaterThan(0);
      await call('task_next_actions', { assignee: 'ada' });
      expect((await call('task_next_actions', { claim_by: 'ada' })).actions[0].resumed).toBe(true);
      expect((await call('task_next_actions', { claim_by: 'bob' })).actions).toEqual([]);
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id }))).toBe('ERR_LEASED');
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id: 'T-99' }))).toBe('ERR_NOT_FOUND');
      const { task_id: hers } = await call('task_create', { title: 'third', assignee: 'ada' });
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id: hers }))).toBe('ERR_ASSIGNED');
      expect((await call('task_next_actions', { claim_by: 'ada', another: true })).also_held).toHaveLength(1);
      expect(await codeOf(call('task_update', { task_id, status: 'GATHER' }))).toBe('ERR_LEASE_REQUIRED');
      await call('task_update', { task_id, status: 'GATHER', note: 'looked', lease_token: actions[0].lease_token });
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id }))).toBe('ERR_LEASED');
      await call('task_update', { task_id, lease_token: actions[0].lease_token, release: true });
      await call('task_update', { task_id, assignee: 'ada' });
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id }))).toBe('ERR_ASSIGNED');
      expect(await codeOf(call('task_next_actions', { claim_by: 'bob', task_id: 'T-9999' }))).toBe('ERR_NOT_FOUND');
    });
    const readOnly = { COLIBRI_MODE: 'READONLY' };
    await serving(
      place,
      async (call) => {
        expect(await codeOf(call('task_next_actions', { claim_by: 'ada' }))).toBe('ERR_READ_ONLY');
        const file = { session_id: 'monday', thought_id: 'x', file: true };
        expect(await codeOf(call('merkle_root', file))).toBe('ERR_READ_ONLY');
        expect(await codeOf(call('task_create', { title: 'x' }))).toBe('TOOL_NOT_ADMITTED');
        await call('task_next_actions');
      },
      readOnly,
    );
  });
});

describe('the trail', () => {
  it('answers as described', async () => {
    const place = freshPlace();
    await serving(place, async (call) => {
      const { task_id } = await call('task_create', { title: 'first' });
      const open = { intent: 'try it', session_id: 'monday', task_id };
      await call('audit_session_start', open);
      expect(await codeOf(call('audit_session_start', open))).toBe('ERR_SESSION_EXISTS');
      expect(await codeOf(call('audit_session_start', { intent: 'x', task_id: 'T-9999' }))).toBe('ERR_NOT_FOUND');
      await call('audit_session_start', { intent: 'nothing', session_id: 'empty' });

      const thought = { type: 'plan', content: 'first this, then that', session_id: 'monday' };
      const key = { idempotency_key: 'k' };
      const { thought_id } = await call('thought_record', { ...thought, ...key });
      await call('thought_record', { ...thought, ...key });
      const refusals: readonly (readonly [string, Message])[] = [
        ['IDEMPOTENCY_MISMATCH', { ...thought, ...key, content: 'other' }],
        ['SESSION_NOT_FOUND', { ...thought, session_id: 'tuesday' }],
        ['TASK_NOT_FOUND', { ...thought, task_id: 'T-9999' }],
        ['SKILL_NOT_FOUND', { ...thought, skill: 'juggling' }],
      ];
      for (const [code, args] of refusals) expect(await codeOf(call('thought_record', args))).toBe(code);
      await call('thought_record', { type: 'reflection', content: 'x'.repeat(500), skill: 'colibri-trail' });

      await call('thought_record_list', { session_id: 'monday' });
      await call('thought_record_list', { task_id });
      await call('thought_record_list', { limit: 1 });
      await call('thought_record_list', { thought_id });
      expect(await codeOf(call('thought_record_list', { session_id: 'tuesday' }))).toBe('SESSION_NOT_FOUND');
      expect(await codeOf(call('thought_record_list', { task_id: 'T-9999' }))).toBe('TASK_NOT_FOUND');
      expect(await codeOf(call('thought_record_list', { thought_id: 'x' }))).toBe('THOUGHT_NOT_FOUND');

      expect(await codeOf(call('merkle_root', { session_id: 'monday' }))).toBe('ERR_NOT_FINALIZED');
      expect(await codeOf(call('merkle_root', { session_id: 'tuesday' }))).toBe('ERR_SESSION_NOT_FOUND');
      expect(await codeOf(call('merkle_finalize', { session_id: 'tuesday' }))).toBe('ERR_SESSION_NOT_FOUND');
      expect(await codeOf(call('merkle_finalize', { session_id: 'empty' }))).toBe('ERR_NO_RECORDS');
      await call('merkle_finalize', { session_id: 'monday' });
      expect(await codeOf(call('merkle_finalize', { session_id: 'monday' }))).toBe('ERR_ALREADY_FINALIZED');
      expect(await codeOf(call('thought_record', thought))).toBe('SESSION_FINALIZED');
      await call('merkle_root', { session_id: 'monday' });
      const proof = { session_id: 'monday', thought_id };
      await call('merkle_root', proof);
      fs.symlinkSync(place.dir, `${place.db}.proofs`);
      expect(await codeOf(call('merkle_root', { ...proof, file: true }))).toBe('ERR_PROOF_NOT_WRITTEN');
      fs.unlinkSync(`${place.db}.proofs`);
      await call('merkle_root', { ...proof, file: true });
      expect(await codeOf(call('merkle_root', { session_id: 'monday', thought_id: 'x' }))).toBe('ERR_NOT_FOUND');
      const { thoughts } = await call('thought_record_list', { proof: true });
      const elsewhere = thoughts.find(({ session_id }: Message) => session_id !== 'monday').thought_id;
      expect(await codeOf(call('merkle_root', { session_id: 'monday', thought_id: elsewhere }))).toBe('ERR_NOT_FOUND');

      for (const args of [{}, { session_id: 'monday' }, { task_id }]) await call('audit_verify_chain', args);
      expect(await codeOf(call('audit_verify_chain', { session_id: 'tuesday' }))).toBe('SESSION_NOT_FOUND');
      expect(await codeOf(call('audit_verify_chain', { task_id: 'T-9999' }))).toBe('TASK_NOT_FOUND');
    });
    await afterwards(place);
  });

  /** Contents that are gone with a record, and contents that somebody changed. */
  const afterwards = async (place: Place): Promise<void> => {
    const query = (sql: string, ...params: unknown[]): Message[] => {
      const db = new Database(place.db);
      try {
        const statement = db.prepare<unknown[], Message>(sql);
        return statement.reader ? statement.all(...params) : [statement.run(...params)];
      } finally {
        db.close();
      }
    };
    const [erased, forged] = query('SELECT thought_id FROM thoughts ORDER BY rowid').map((row) => row.thought_id);
    const ran = await colibri(place, ['erase', erased, '--reason', 'a test', '--yes']);
    expect(ran).toMatchObject({ code: 0 });
    await serving(place, async (call) => {
      const { thoughts } = await call('thought_record_list', { thought_id: erased });
      await call('thought_record_list', { order: 'newest' });
      expect(thoughts).toMatchObject([{ erased: true, content: null }]);
      expect(await call('audit_verify_chain')).toMatchObject({ valid: true, remarks: expect.anything() });
    });
    query("UPDATE thoughts SET content = 'another' WHERE thought_id = ?", forged);
    await serving(place, async (call) => {
      expect(await call('audit_verify_chain')).toMatchObject({ valid: false, first_broken_at: { id: forged } });
    });
  };
});

it('ping, health and skills answer as described', async () => {
  const place = freshPlace();
  const skills = join(place.dir, 'skills');
  for (const name of ['good', 'bad']) fs.mkdirSync(join(skills, name), { recursive: true });
  fs.writeFileSync(join(skills, 'good', 'SKILL.md'), '---\nname: good\ndescription: A good one.\n---\nx\n');
  fs.writeFileSync(join(skills, 'bad', 'SKILL.md'), 'no frontmatter');
  await serving(
    place,
    async (call) => {
      await call('server_ping', { extra: 1 });
      await call('server_health');
      expect((await call('skill_list')).problems).toHaveLength(1);
      await call('skill_list', { limit: 1 });
      await eventually(
        'a digest',
        async () => (await call('skill_list', { search: 'good' })).skills[0].digest !== null,
      );
    },
    { COLIBRI_SKILLS_DIR: skills },
  );
});

it('the router answers as described', async () => {
  const place = freshPlace();
  const servers = { plain: fakeServer('plain'), dead: fakeServer('dead') };
  const routes = { works: ['dead/anything', 'plain/echo'], fails: ['dead/anything'], breaks: ['plain/fail'] };
  writeBoard(place, servers, { routes });
  await serving(place, async (call) => {
    const stateOf = async (server: string): Promise<string | undefined> =>
      (await call('router_stats', { server })).servers?.[0]?.state;
    await eventually('plain works', async () => (await stateOf('plain')) === 'HEALTHY');
    await eventually('dead does not', async () => (await stateOf('dead')) === 'UNHEALTHY');
    await call('router_stats');
    await call('router_score', { route: 'works' });
    await call('router_score', { route: 'fails', arguments: {} });
    await call('router_score', { tool: 'plain__echo' });
    expect(await codeOf(call('router_score', { route: 'nope' }))).toBe('INVALID_PARAMS');
    expect(await codeOf(call('router_stats', { server: 'nope' }))).toBe('INVALID_PARAMS');

    await call('router_call', { server: 'plain', tool: 'echo', arguments: { x: 1 } });
    expect(await codeOf(call('router_call', { server: 'nope', tool: 'x' }))).toBe('INVALID_PARAMS');
    expect(await codeOf(call('router_call', { server: 'plain', tool: 'fail' }))).toBe('HANDLER_ERROR');
    expect(await codeOf(call('router_call', { server: 'dead', tool: 'anything' }))).toBe('TOOL_UNAVAILABLE');

    expect(await call('router_fallback', { route: 'works' })).toMatchObject({ server: 'plain', tool: 'echo' });
    expect(await codeOf(call('router_fallback', { route: 'nope' }))).toBe('INVALID_PARAMS');
    expect(await codeOf(call('router_fallback', { route: 'breaks' }))).toBe('HANDLER_ERROR');
    expect(await codeOf(call('router_fallback', { route: 'fails' }))).toBe('FALLBACK_CHAIN_EXHAUSTED');
  });
});

it('reputation, gates and the verifiable random function answer as described', async () => {
  const env = { COLIBRI_TOOLSETS: 'reputation,consensus', COLIBRI_GATES: 'on' };
  await serving(
    freshPlace(),
    async (call) => {
      for (const title of ['a', 'b']) await call('task_create', { title });
      await call('task_next_actions', { claim_by: 'ada' });
      expect(await codeOf(call('task_next_actions', { claim_by: 'ada', another: true }))).toBe('ERR_TOO_MANY_TASKS');
      expect(await codeOf(call('task_create', { title: 'c', claim_by: 'ada' }))).toBe('ERR_TOO_MANY_TASKS');
      await call('task_update', { task_id: 'T-0002', status: 'CANCELLED', note: 'no' });
      await call('reputation_get', { node_id: 'test' });
      await call('reputation_history', { node_id: 'test', domain: 'commissioning' });
      await call('reputation_leaderboard', { domain: 'commissioning' });
      await call('reputation_check_gates', { node_id: 'test' });
      await call('vrf_eval', { input: '' });
    },
    env,
  );
});

it('rounds answer as described', async () => {
  const place = freshPlace();
  const env = { COLIBRI_TOOLSETS: 'consensus', COLIBRI_VOTER_KEY: join(place.dir, 'no.key') };
  await serving(place, async (call) => void (await call('server_ping')));
  expect((await onOwnTerminal(place, ['voters', 'add', 'ada'])).code).toBe(0);
  await serving(
    place,
    async (call) => {
      const draw = { from: ['bob', 'cyd'], count: 1 };
      const { round_id } = await call('consensus_propose', { statement: 'x', draw, need: 1 });
      expect(await codeOf(call('consensus_propose', { statement: 'x', draw: { ...draw, count: 2 } }))).toBe(
        'DRAWN_ALREADY',
      );
      expect(await codeOf(call('consensus_propose', { statement: 'x', task_id: 'T-9999' }))).toBe('TASK_NOT_FOUND');
      await eventually('drawn', async () => (await call('consensus_finality', { round_id })).status === 'open');
      expect(await codeOf(call('consensus_finality', { round_id: '1' }))).toBe('ROUND_NOT_FOUND');
      const open = await call('consensus_propose', { statement: 'y', need: 2 });
      const ballot = { round_id: open.round_id, vote: 'approve', voter: 'bob', reason: 'why not' };
      await call('consensus_vote', ballot);
      expect(await codeOf(call('consensus_vote', ballot))).toBe('ALREADY_VOTED');
      await call('consensus_vote', { ...ballot, vote: 'reject' });
      expect(await codeOf(call('consensus_vote', { ...ballot, round_id: '1' }))).toBe('ROUND_NOT_FOUND');
      expect(await codeOf(call('consensus_vote', { ...ballot, voter: 'raw' }))).toBe('VOTE_REFUSED');
      expect(await codeOf(call('consensus_vote', { ...ballot, voter: 'ada' }))).toBe('INVALID_KEY');
      await call('consensus_finality', { round_id: open.round_id });
      expect(await codeOf(call('consensus_gossip'))).toBe('INVALID_KEY');
      expect(await codeOf(call('consensus_gossip', { bundle: 'x' }))).toBe('INVALID_BUNDLE');
    },
    env,
  );
  await serving(place, async (call) => void (await call('consensus_gossip')), { COLIBRI_TOOLSETS: 'consensus' });
});

it('nothing that is described was left out', () => {
  const described = Object.entries(NOTES).flatMap(([tool, { errors }]) => [
    tool,
    ...Object.entries(errors)
      .filter(([, { details }]) => details !== undefined)
      .map(([code]) => `${tool} ${code}`),
  ]);
  expect(described.filter((what) => !seen.has(what))).toEqual([]);
});
