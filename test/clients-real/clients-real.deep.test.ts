// Real client programs against the built process and a model on loopback. A few are installed for this if the registry answers in
// time; others are tried if `npm run clients` has installed them. A client that is absent is named and is not a failure.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { MAIN } from '../support/serve.js';

const at = (file: string): string => new URL(file, import.meta.url).href;
const { failuresOf, reportOf } = await import(at('./report.mjs'));

const INSTALL_MS = 75_000;
/** Nothing is begun after that. */
const WITHIN_MS = 200_000;
const RUN_MS = 9 * 60_000;

it('every client that is here finds our tools, calls them, and shows its model what they answer', {
  timeout: RUN_MS,
  retry: 1,
}, async () => {
  // programs of others, beside other tests
  const folder = mkdtempSync(join(tmpdir(), 'colibri-clients-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const json = join(folder, 'results.json');
  const bounds = ['--install-ms', String(INSTALL_MS), '--within-ms', String(WITHIN_MS)];
  const args = [fileURLToPath(at('./run.mjs')), '--gate', ...bounds, '--main', MAIN, '--json', json];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill());
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  expect([0, 1], said).toContain(code);
  const { rows } = JSON.parse(readFileSync(json, 'utf8'));
  process.stderr.write(reportOf(rows));
  expect(failuresOf(rows), said).toEqual([]);
});
