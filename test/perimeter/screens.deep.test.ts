// Every command on a terminal, over a store and a switchboard file full of hostile names.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { answerQuestions, CTRL_C, hasTerminals, onTerminal } from '../support/terminal.js';
import { everyCommand, FORGED, forgery, hostileStore, offence, sweep } from './screens.shared.js';

vi.setConfig({ testTimeout: 400_000 });

test.skipIf(!hasTerminals)('no command lets anything of others through but as marks', async () => {
  const hostile = await hostileStore();
  const { offences, marked } = sweep(hostile, everyCommand(hostile));
  expect(offences).toEqual([]);
  expect(marked).toBeGreaterThan(25); // it was there to be seen
});

test.skipIf(!hasTerminals)('nor do the board that is drawn again and again and the log that is followed', async () => {
  const { place } = await hostileStore();
  for (const [args, seen] of [
    [['switchboard'], /forges/g],
    [['log', '--follow', '--limit', '200'], /toolz/g],
  ] as const) {
    const { text } = await answerQuestions({ project: place.dir, place }, args, [CTRL_C], seen);
    expect(text, args.join(' ')).toMatch(/\\u00[01][0-9a-f]/); // which mark is seen depends on where a cell is cut
    expect(offence(text.replaceAll('^C', '')) ?? forgery(text), args.join(' ')).toBeUndefined();
  }
});

test.skipIf(!hasTerminals)('nor does the diff of init, whatever stands in the file of a client', async () => {
  const { place } = await hostileStore();
  const servers = { [`a${FORGED}`]: { command: FORGED, args: [FORGED], env: { X: FORGED } } };
  fs.writeFileSync(join(place.dir, '.mcp.json'), JSON.stringify({ mcpServers: servers }, null, 2));
  const { stdout } = onTerminal(
    place,
    ['init', '--client', 'claude-code', '--scope', 'project', '--project', place.dir, '--import', '--dry-run'],
    100,
  );
  expect(stdout).toContain('FORGED');
  expect(offence(stdout) ?? forgery(stdout)).toBeUndefined();
});
