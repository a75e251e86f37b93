// The question on a terminal: nothing of it is cut off on a narrow screen, and a no leaves nothing behind.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { answerQuestions, colourless, hasTerminals, onTerminal } from '../support/terminal.js';
import { project, stateFile } from './consent.shared.js';

const PADDING = ' '.repeat(300);
const servers = {
  padded: { command: 'sh', args: ['-c', `good${PADDING}; evil-at-the-end`] },
  escaped: { command: 'sh', args: ['-c', '\u001b[2K\u001b[1Ahidden-evil\u202ereversed'] },
  long: { command: 'node', args: ['x'.repeat(500), '-Xtoken', 'evil.py'] },
};

test.runIf(hasTerminals)('every argument is whole on a terminal of 40 columns', async () => {
  const place = freshPlace();
  const a = project(place);
  a.write({ mcpServers: servers });
  for (const args of [['approve', '--yes'], ['check']]) {
    const { stdout } = onTerminal(place, ['switchboard', ...args], 40, a.env);
    const text = colourless(stdout);
    expect(text).toContain(`${PADDING}; evil-at-the-end`);
    expect(text).toContain(`${'x'.repeat(500)} -Xtoken evil.py`);
    expect(text).toContain('\\u001b[2K\\u001b[1Ahidden-evil\\u202ereversed');
  }
});

test.runIf(hasTerminals)('a no approves nothing', async () => {
  const place = freshPlace();
  const a = project(place);
  a.write({ mcpServers: servers });
  const at = { project: a.dir, place };
  const asked = await answerQuestions(at, ['switchboard', 'approve', '--project', a.dir], ['no\n']);
  expect(asked).toMatchObject({ code: 1, text: expect.stringContaining('-Xtoken evil.py') });
  expect(fs.existsSync(stateFile(place, 'approvals.json'))).toBe(false);
});
