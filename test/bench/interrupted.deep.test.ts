// The bench as `npm run` starts it, ended from outside: no process and no folder of it may stay.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { noPostgres } from '../support/postgres.js';
import { descendants, eventually, isThere } from '../support/process-list.js';
import { freshPlace } from '../support/serve.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PATIENCE_MS = 60_000;

/** What npm hands to a shell, without the building before it. */
const command = (): string => {
  const { scripts } = JSON.parse(fs.readFileSync(`${ROOT}package.json`, 'utf8'));
  expect(scripts.bench).toContain('node scripts/ready.mjs && ');
  return scripts.bench.replace('node scripts/ready.mjs', 'true');
};

test.skipIf(noPostgres())('the database server of a run ends with it', { timeout: 2 * PATIENCE_MS }, async () => {
  const place = freshPlace();
  const line = `${command()} --quick --only postgres-ping --rounds 1000`;
  const child = spawn('sh', ['-c', line], { cwd: ROOT, env: place.env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  place.onEnd(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  let told = '';
  child.stderr.on('data', (text) => {
    told += text;
  });
  const folder = () => /^a PostgreSQL server runs in (.+)$/m.exec(told)?.[1];
  await eventually('a server', () => folder() !== undefined && told.includes('round 2'), PATIENCE_MS);
  const pid = Number(fs.readFileSync(`${folder()}/postmaster.pid`, 'utf8').split('\n')[0]);
  expect(isThere(pid)).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toEqual([130, null]);
  await eventually('the server to end', () => !isThere(pid), PATIENCE_MS);
  expect(fs.existsSync(folder() ?? '')).toBe(false);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', { timeout: 2 * PATIENCE_MS }, async (signal) => {
  const place = freshPlace();
  const line = `${command()} --quick --only proxied --rounds 1000`;
  const child = spawn('sh', ['-c', line], { cwd: ROOT, env: place.env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const started = new Set<number>();
  const pid = child.pid ?? 0;
  place.onEnd(async () => {
    for (const one of [pid, ...started]) if (isThere(one)) process.kill(one, 'SIGKILL');
    await ended;
  });
  const folders = () => fs.readdirSync(place.env.TMPDIR ?? '');
  const servers = () => descendants(pid).filter((one) => descendants(one).length > 0);
  // A server of ours with one behind it: both, and what ends them, are there.
  await eventually('a server behind a server', () => servers().length > 0 && folders().length > 0, PATIENCE_MS);
  for (const one of descendants(pid)) started.add(one);
  child.kill(signal);
  expect(await ended).toEqual([130, null]);
  expect(folders()).toEqual([]);
  await eventually('all of its processes to end', () => ![...started].some(isThere), PATIENCE_MS);
  expect(folders()).toEqual([]);
});
