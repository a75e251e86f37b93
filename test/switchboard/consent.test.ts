// A cloned repository must not run commands by itself.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { hostile } from './consent.shared.js';

const approvals = (place: Place): string => join(place.home, 'state', 'colibri', 'approvals.json');

test('a hostile project file starts nothing before it is approved, then without a restart', {
  timeout: 30_000,
}, async () => {
  const place = freshPlace();
  const { dir, marker, file } = hostile(place);
  const env = { COLIBRI_PROJECT_DIR: dir };
  const peer = serve(place, { env });
  await peer.initialize();
  await peer.phase2();
  await peer.request('tools/list');
  await peer.until(() => peer.stderr.includes('colibri switchboard approve'));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(fs.existsSync(marker)).toBe(false);

  const board = await colibri(place, ['switchboard', '--json'], { env });
  expect(JSON.parse(board.stdout).processes[0].servers).toMatchObject([
    { server: 'evil', state: 'UNHEALTHY', reason: expect.stringContaining('not_approved'), next_at: null },
  ]);
  const checked = await colibri(place, ['switchboard', 'check', '--start'], { env });
  expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining('not_approved') });
  const named = await colibri(place, ['switchboard', 'check', file, '--start'], { env });
  expect(named.stdout).toContain('not_approved');
  const unasked = await colibri(place, ['switchboard', 'approve'], { env });
  expect(unasked.code).toBe(1);
  expect(fs.existsSync(marker)).toBe(false);

  const approved = await colibri(place, ['switchboard', 'approve', '--yes'], { env });
  expect(approved.stderr).toContain(`touch ${marker}`);
  expect(approved.stdout).toContain('Approved 1 server.');
  expect(fs.statSync(approvals(place)).mode & 0o777).toBe(0o600);
  await eventually('it is started', () => fs.existsSync(marker));
  await peer.end();
});
