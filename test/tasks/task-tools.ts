// The five task tools in this process, over a real store and its ledger: every stage of a call, and a clock to turn.
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { ColibriServerContext } from '../../src/call/context.js';
import { pathId } from '../../src/core/project-id.js';
import { Backlog } from '../../src/ledger/calls/backlog.js';
import { fiveStages } from '../../src/middleware/chain.js';
import type { RuntimeMode } from '../../src/modes.js';
import { createServer } from '../../src/server.js';
import { registerTaskTools } from '../../src/start/register-tools.js';
import type { Store } from '../../src/store/store.js';
import { requestOf } from '../support/requests.js';
import { openLedger, temporaryFolder } from '../support/stores.js';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, each test at other ones
export type Answer = Record<string, any>;

export interface NextCall {
  readonly tool: string;
  readonly arguments: Answer;
}

export interface TaskTools {
  readonly path: string;
  readonly store: Store;
  /** The whole structuredContent. */
  call(tool: string, args?: Answer, client?: string): Promise<Answer>;
  /** `data` of a call that must succeed. */
  ok(tool: string, args?: Answer, client?: string): Promise<Answer>;
  /** Makes a call that must succeed, and returns its task as task_get shows it. */
  whole(tool: string, args?: Answer, client?: string): Promise<Answer>;
  /** The error of a call that must be refused, wherever it stands. */
  no(tool: string, args?: Answer, client?: string): Promise<Answer>;
}

export const TASK_STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'] as const;
export type State = (typeof TASK_STATES)[number];

/** The error in an answer: of the tool (inside data), or of the call. */
export const errorIn = (answer: Answer): Answer | undefined =>
  answer.ok === false ? answer.error : answer.data?.ok === false ? answer.data.error : undefined;

export interface TaskToolsChoice {
  readonly project?: string | null;
  readonly mode?: RuntimeMode;
  readonly dir?: string;
  readonly node?: string;
}

export const openTaskTools = async ({
  project = null,
  mode = 'FULL',
  dir = temporaryFolder(),
  node = 'host/user',
}: TaskToolsChoice = {}) => {
  const { store, ledger } = await openLedger(dir, crypto.randomUUID(), node);
  const ctx: ColibriServerContext = {
    ...createServer({ mode, logger: () => {}, installGlobalHandlers: false }),
    db: store,
    ...(mode !== 'READONLY' && { ledger, backlog: new Backlog() }),
  };
  const current = project === null ? null : { id: pathId(`/${project}`), name: project };
  registerTaskTools(ctx, () => current);
  const run = fiveStages(ctx);
  const call: TaskTools['call'] = async (name, args = {}, client) => {
    const identity = client === undefined ? null : { name: client, version: '1', protocol: '2025-06-18' };
    const reply = await run(requestOf({ name, args, client: identity }));
    if (!('result' in reply)) throw new Error(JSON.stringify(reply));
    return reply.result.structuredContent;
  };
  const tools: TaskTools = {
    path: join(dir, 'colibri.db'),
    store,
    call,
    ok: async (tool, args, client) => {
      const answer = await call(tool, args, client);
      expect(errorIn(answer), `${tool} ${JSON.stringify(args)}`).toBeUndefined();
      return answer.data;
    },
    whole: async (tool, args, client) => {
      const { task_id } = await tools.ok(tool, args, client);
      return tools.ok('task_get', { task_id });
    },
    no: async (tool, args, client) => {
      const error = errorIn(await call(tool, args, client));
      if (error === undefined) throw new Error(`${tool} ${JSON.stringify(args)} was not refused`);
      return error;
    },
  };
  return tools;
};

/** The wall clock of this process, turned by hand until the test is over. Timers run as ever. */
export const handClock = (start = '2026-11-15T12:00:00.000Z') => {
  let at = Date.parse(start);
  vi.useFakeTimers({ toFake: ['Date'], now: at });
  onTestFinished(() => void vi.useRealTimers());
  return {
    now: () => new Date(at).toISOString(),
    pass: (ms: number) => {
      at += ms;
      vi.setSystemTime(at);
    },
  };
};

export const MINUTE = 60_000;

/** The calls that bring a new task to a state, each with a note where one is asked for. */
export const STEPS_TO: Readonly<Record<State, readonly State[]>> = {
  INIT: [],
  GATHER: ['GATHER'],
  ANALYZE: ['GATHER', 'ANALYZE'],
  PLAN: ['GATHER', 'ANALYZE', 'PLAN'],
  APPLY: ['GATHER', 'ANALYZE', 'PLAN', 'APPLY'],
  VERIFY: ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'],
  DONE: ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'],
  CANCELLED: ['CANCELLED'],
};

/** A new task in the wished state, as the last call answered; dependencies must allow it. */
export const taskIn = async (tools: Pick<TaskTools, 'ok'>, state: State, rest: Answer = {}): Promise<Answer> => {
  let task = await tools.ok('task_create', { title: `in ${state}`, ...rest });
  for (const status of STEPS_TO[state]) {
    task = await tools.ok('task_update', {
      task_id: task.task_id,
      status,
      ...(status === 'DONE' && { note: 'checked' }),
    });
  }
  return task;
};
