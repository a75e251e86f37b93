// What others wrote on a screen: no byte of theirs may steer a terminal, reorder a line or be there unseen. screens.deep.test.ts tries every
// command.
import { expect, test, vi } from 'vitest';
import { colibri } from '../support/command-line.js';
import { hasTerminals } from '../support/terminal.js';
import { EVIL, hostileStore, offence, sweep } from './screens.shared.js';

vi.setConfig({ testTimeout: 120_000 });

test('a hostile store: marks on a terminal, exact JSON lines and marked CSV in a pipe', async () => {
  const hostile = await hostileStore();
  const { place, task } = hostile;
  const lines = (await colibri(place, ['export', '--what', 'tasks'])).stdout.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line)).find(({ row }) => row === 'task')).toMatchObject({
    title: `title ${EVIL}`,
  });
  for (const what of ['tasks', 'thoughts']) {
    const { stdout } = await colibri(place, ['export', '--what', what, '--format', 'csv']);
    // Tabs and line ends inside a quoted cell stay as they are in a pipe.
    expect(offence(stdout.replace(/\r\n|\t/g, '\n')), what).toBeUndefined();
  }
  if (!hasTerminals) return;
  const { offences, marked } = sweep(hostile, [
    ...[
      ['tasks', task],
      ['log'],
      ['log', '--kind', 'health'],
      ['switchboard', '--once'],
      ['export', '--what', 'tasks'],
    ],
    ['export', '--what', 'thoughts', '--format', 'csv'],
  ]);
  expect(offences).toEqual([]);
  expect(marked).toBeGreaterThanOrEqual(5); // a table may cut a name before its mark
});
