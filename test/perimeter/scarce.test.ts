// Few descriptors: one sentence and exit 1, or it works; never a stack. Below 20 Node cannot open our first file, or not start.
import { spawnSync } from 'node:child_process';
import { test as bothTests, expect } from 'vitest';
import { casesHere, test } from '../support/by-gate.js';
import { filesBelow, freshPlace, MAIN } from '../support/serve.js';

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

bothTests.each(casesHere([28, 22, 40, 56, 72]))('with %d descriptors', { timeout: 60_000 }, (count) => {
  const place = freshPlace();
  for (const command of ['serve', 'verify', 'status']) {
    const args = ['-c', `ulimit -n ${count} && exec "$@"`, 'bash', process.execPath, MAIN, command];
    const ran = spawnSync('bash', args, { cwd: place.dir, env: place.env, input: `${HELLO}\n`, encoding: 'utf8' });
    expect(ran.stderr, command).not.toMatch(/\n\s+at |node:internal|Node\.js v/);
    if (ran.status === 0) continue;
    expect(`${ran.stderr}${ran.stdout}`.trim(), command).not.toBe('');
    if (count < 30) expect(ran.stderr).toMatch(/^colibri: .*this process may open too few files at once.*\n$/);
  }
});

test.each([8, 16, 24])('with a heap of %d MB: a sentence, and nothing is begun', { timeout: 60_000 }, (size) => {
  const place = freshPlace();
  for (const command of ['serve', 'verify', 'status', 'switchboard']) {
    const args = [`--max-old-space-size=${size}`, MAIN, command];
    const ran = spawnSync(process.execPath, args, {
      cwd: place.dir,
      env: place.env,
      input: `${HELLO}\n`,
      encoding: 'utf8',
    });
    expect(ran.stderr, command).toMatch(
      /^colibri: Node may use only \d+ MiB of memory for its heap, and Colibri needs 80 MiB\. .*\.\n$/,
    );
    expect([ran.status, ran.stdout], command).toEqual([1, '']);
  }
  expect(filesBelow(place.dir)).toEqual([]);
});

test('with a heap of 32 MB it serves', { timeout: 60_000 }, () => {
  const place = freshPlace();
  const args = ['--max-old-space-size=32', MAIN, 'serve'];
  const ran = spawnSync(process.execPath, args, {
    cwd: place.dir,
    env: place.env,
    input: `${HELLO}\n`,
    encoding: 'utf8',
  });
  expect(JSON.parse(ran.stdout).result.serverInfo).toBeDefined();
  expect(ran.status).toBe(0);
});
