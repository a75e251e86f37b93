// The five task tools as clients see them.
import type { ColibriServerContext, ColibriToolConfig } from '../../call/context.js';
import { registerColibriTool } from '../../call/registry.js';
import type { RuntimeMode } from '../../modes.js';
import { createInput, createTask } from './create.js';
import { getInput, getTask } from './get.js';
import { listInput, listTasksTool } from './list.js';
import { nextActions, nextActionsInput } from './next-actions.js';
import { updateInput, updateTask } from './update.js';
import type { AskCurrent } from './whose.js';

const READERS: readonly RuntimeMode[] = ['FULL', 'TEST', 'READONLY'];
const WRITERS: readonly RuntimeMode[] = ['FULL', 'TEST'];
const READS = { readOnlyHint: true, openWorldHint: false } as const;
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

/** Texts that the tools keep in their own tables; the payload of a call leaves them out. */
const TEXTS = ['title', 'description', 'note'] as const;

const common = { errorPattern: 'B' } as const satisfies Partial<ColibriToolConfig>;

export const registerTaskTools = (ctx: ColibriServerContext, current: AskCurrent): void => {
  registerColibriTool(
    ctx,
    'task_create',
    {
      ...common,
      title: 'Create task',
      description: 'Put a piece of work into the queue before you start it. It begins in INIT.',
      inputSchema: createInput,
      effect: 'write',
      keepsTexts: TEXTS,
      admittedIn: WRITERS,
      annotations: WRITES,
    },
    createTask(current),
  );
  registerColibriTool(
    ctx,
    'task_get',
    {
      ...common,
      title: 'Get task',
      description: 'Read one task whole: description, dependencies, the states that may follow.',
      inputSchema: getInput,
      effect: 'read',
      admittedIn: READERS,
      annotations: READS,
    },
    getTask,
  );
  registerColibriTool(
    ctx,
    'task_update',
    {
      ...common,
      title: 'Update task',
      description:
        'Move a task on (INIT → GATHER → ANALYZE → PLAN → APPLY → VERIFY → DONE; VERIFY → GATHER to retry; CANCELLED) or edit it. Say why in note.',
      inputSchema: updateInput,
      effect: 'write',
      keepsTexts: TEXTS,
      admittedIn: WRITERS,
      annotations: WRITES,
      meta: { 'anthropic/alwaysLoad': true },
    },
    updateTask(current),
  );
  registerColibriTool(
    ctx,
    'task_list',
    {
      ...common,
      title: 'List tasks',
      description: 'Find tasks, oldest first. Use task_next_actions to learn what to do next.',
      inputSchema: listInput,
      effect: 'read',
      admittedIn: READERS,
      annotations: READS,
    },
    listTasksTool(current),
  );
  registerColibriTool(
    ctx,
    'task_next_actions',
    {
      ...common,
      title: 'Next actions',
      description: 'See what can be worked on now, or take the first one with claim_by. Start here.',
      inputSchema: nextActionsInput,
      effect: ({ claim_by }) => (claim_by === undefined || ctx.mode === 'READONLY' ? 'read' : 'write'),
      admittedIn: READERS,
      annotations: WRITES,
      meta: { 'anthropic/alwaysLoad': true },
    },
    nextActions(current, ctx.mode),
  );
};
