// What sizes.test.ts and sizes.deep.test.ts share: the size of answers, and a hundred tasks.
import type { Answer, TaskTools } from './task-tools.js';

export const RESULT_BYTES = 24_576;

export const bytesOf = (answer: Answer): number => Buffer.byteLength(JSON.stringify(answer));
export const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A hundred tasks to wait for, in the way of nobody else's numbers. */
export const hundred = async (tools: TaskTools): Promise<string[]> => {
  const made = range(100).map((i) => tools.ok('task_create', { title: `d${i}`, project: 'deps', priority: 'low' }));
  return (await Promise.all(made)).map(({ task_id }) => task_id);
};
