// What list.test.ts and list.deep.test.ts share: a session with many thoughts.
import type { Answer, Started } from '../support/trail-tools.js';

export const EMOJI = '🐦';
const TYPES = ['plan', 'analysis', 'decision', 'reflection'];
export const CONTENTS = [
  'short',
  'x'.repeat(280),
  'x'.repeat(281),
  EMOJI.repeat(300),
  '"'.repeat(4_000),
  `a${EMOJI.repeat(400)}`,
];

/** 150 thoughts over three sessions and two tasks, as they were answered. */
export const fill = async (tools: Started): Promise<Answer[]> => {
  for (const title of ['one', 'two']) await tools.ok('task_create', { title });
  for (const session_id of ['a', 'b']) await tools.ok('audit_session_start', { intent: 'i', session_id });
  const made: Answer[] = [];
  for (let i = 0; i < 150; i++) {
    const [type, content] = [TYPES[i % 4], CONTENTS[i % 6]];
    const place = [
      { session_id: 'a' },
      { session_id: 'b', task_id: 'T-1' },
      { task_id: 'T-1' },
      { task_id: 'T-2' },
      {},
    ][i % 5];
    made.push({ type, content, ...place, ...(await tools.ok('thought_record', { type, content, ...place })) });
  }
  return made;
};

export const ids = (rows: readonly Answer[]): string[] => rows.map(({ thought_id }) => thought_id);
