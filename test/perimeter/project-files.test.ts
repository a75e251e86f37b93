// A repository's files are hostile: whatever bears the name of a file that Colibri reads, nothing hangs, grows or leaks.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { HOSTILE } from './hostile-files.js';

/** A project whose switchboard file is what `make` makes. */
const projectWith = (make: (path: string) => void, finished?: Parameters<typeof freshPlace>[0]): Place => {
  const place = freshPlace(finished);
  fs.mkdirSync(join(place.dir, 'project', '.colibri'), { recursive: true });
  make(join(place.dir, 'project', '.colibri', 'switchboard.json'));
  return place;
};

const PEAK_BYTES = 400 * 1024 ** 2;

test.concurrent.for(['a pipe', 'a link to an endless device', 'a huge file', 'a chain of links'])(
  'a switchboard file that is %s: serve says why and goes on, in bounded memory',
  async (name, { onTestFinished }) => {
    const [make, reason] = HOSTILE[name] ?? [() => {}, /never/];
    const place = projectWith(make, onTestFinished);
    const peer = serve(place, { env: { COLIBRI_PROJECT_DIR: join(place.dir, 'project') } });
    await peer.initialize();
    await peer.phase2();
    expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
    await peer.until(() => reason.test(peer.stderr));
    expect(peer.stderr).toContain('switchboard.json');
    expect(peer.peakBytes()).toBeLessThan(PEAK_BYTES);
    expect((await peer.end()).code).toBe(0);
  },
);

test('a file that becomes a pipe or a link out of the project while serving changes nothing and hangs nothing', async () => {
  const place = projectWith((path) => fs.writeFileSync(path, '{"mcpServers": {}}'));
  const file = join(place.dir, 'project', '.colibri', 'switchboard.json');
  const peer = serve(place, { env: { COLIBRI_PROJECT_DIR: join(place.dir, 'project') } });
  await peer.initialize();
  await peer.phase2();
  fs.rmSync(file);
  execFileSync('mkfifo', [file]);
  await peer.until(() => /it is a pipe, not a file/.test(peer.stderr));
  fs.rmSync(file);
  fs.symlinkSync('/dev/zero', file);
  await peer.until(() => /leads out of the project/.test(peer.stderr));
  expect(receiptOf(await peer.call('task_list', {}))).toBeDefined();
});

test('a .git file that names the repository of somebody else is not believed', async () => {
  const place = freshPlace();
  const victim = join(place.dir, 'victim');
  fs.mkdirSync(join(victim, '.git'), { recursive: true });
  fs.mkdirSync(join(victim, '.colibri'));
  const hostile = join(place.dir, 'hostile');
  fs.mkdirSync(join(hostile, 'fake'), { recursive: true });
  fs.writeFileSync(join(hostile, '.git'), 'gitdir: fake\n');
  fs.writeFileSync(join(hostile, 'fake', 'commondir'), `${join(victim, '.git')}\n`);
  fs.writeFileSync(join(hostile, 'fake', 'gitdir'), `${join(hostile, '.git')}\n`);
  const { COLIBRI_DB_PATH: _, ...env } = place.env;
  const ran = await colibri({ ...place, env }, ['status', '--json'], { cwd: hostile });
  expect(ran.stdout).not.toContain(victim);
});
