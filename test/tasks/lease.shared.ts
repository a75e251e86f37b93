// What lease.test.ts and lease.deep.test.ts share: claims, and what the list says about them.
import type { Answer, TaskTools } from './task-tools.js';

export const claim = async (
  tools: Pick<TaskTools, 'ok'>,
  claim_by: string,
  rest: Answer = {},
): Promise<Answer | undefined> => (await tools.ok('task_next_actions', { claim_by, ...rest })).actions[0];

export const listed = async (tools: TaskTools, args: Answer = {}): Promise<string[]> =>
  (await tools.ok('task_next_actions', { limit: 100, ...args })).actions.map((action: Answer) => action.task.task_id);
