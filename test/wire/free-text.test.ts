// Free text comes through the door byte for byte, also in a call of which another argument is read leniently.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { started } from '../support/trail-tools.js';

const TRICKY = [
  '5',
  ' 5 ',
  'true',
  'TRUE',
  '[]',
  '["T-0001"]',
  '{"a": 1}',
  'null',
  ' T-0001 ',
  'done',
  'HIGH',
  '\u00a0x\n',
];

/** A text that a title, a note or a name may be: not blank, no NUL, at most 100 characters. */
const text = fc
  .oneof(fc.constantFrom(...TRICKY), fc.json({ maxDepth: 1 }), fc.string({ unit: 'grapheme', maxLength: 40 }))
  .filter((words) => words.trim() !== '' && words.length <= 100 && !words.includes('\u0000') && words !== '*');

test('titles, descriptions, notes, contents and names', async () => {
  const tools = await started(freshPlace());
  await fc.assert(
    fc.asyncProperty(fc.tuple(text, text, text, text, text), async ([title, description, note, content, name]) => {
      const made = { title, description, project: `p${name}`, assignee: name, priority: 'HIGH', depends_on: '[]' };
      const { task_id } = await tools.ok('task_create', made);
      await tools.ok('task_update', { task_id: ` ${task_id} `, status: 'gather', note, title: `${title} ` });
      expect(await tools.ok('task_get', { task_id })).toMatchObject({
        ...{ title: `${title} `, description, project: `p${name}`, assignee: name },
        ...{ priority: 'high', depends_on: [], status: 'GATHER' },
      });
      await tools.ok('thought_record', { type: ' PLAN', content, agent_id: name, task_id: ` ${task_id}` });
      const { thoughts } = await tools.ok('thought_record_list', { task_id: `${task_id} `, limit: '5' });
      expect(thoughts).toMatchObject([{ content: note }, { content, agent_id: name }]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
  await tools.peer.end();
}, 60_000);
