// What list.test.ts and list.deep.test.ts share: a list, read page by page.
import { expect } from 'vitest';
import type { Answer, TaskTools } from './task-tools.js';

/** All pages, and what happened between them. */
export const pages = async (
  tools: TaskTools,
  filter: Answer,
  limit: number,
  between = async () => {},
): Promise<string[]> => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Answer = await tools.ok('task_list', { ...filter, limit, ...(cursor && { cursor }) });
    expect(page.tasks.length).toBeLessThanOrEqual(limit);
    for (const task of page.tasks) expect(task).not.toHaveProperty('description');
    seen.push(...page.tasks.map((task: Answer) => task.task_id));
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return seen;
};
