// colibri doctor: says what is wrong and what to do, works where nearly everything is broken, changes nothing.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { rolledBackStore, usedStore } from '../support/command-line.js';
import { type Environment, serve } from '../support/serve.js';
import { examine, troubles } from './doctor.shared.js';

test('beside a server that runs', async () => {
  const { place } = await usedStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const examined = await examine(place);
  expect(troubles(examined)).toEqual([]);
  expect(examined.findings).toContainEqual(
    expect.objectContaining({ check: 'processes', message: `1 server running: process ${peer.pid}` }),
  );
  await peer.end();
});

test('settings that are wrong are told, each of them, and the rest is looked at', async () => {
  const { place, log } = await usedStore();
  const env: Environment = {
    COLIBRI_MODE: 'sideways',
    AMS_MODE: 'x',
    COLIBRI_LOG_LEVEL: 'loud',
    COLIBRI_DURABILTY: 'full',
    COLIBRI_PROJECT_DIR: '/nowhere',
  };
  const examined = await examine(place, { env });
  expect(troubles(examined).sort()).toEqual([
    expect.stringMatching(/^settings problem AMS_MODE="x" is refused/),
    expect.stringMatching(/^settings problem COLIBRI_LOG_LEVEL="loud" is not allowed/),
    expect.stringMatching(/^settings problem COLIBRI_MODE="sideways" is not allowed/),
    expect.stringMatching(/^settings problem COLIBRI_PROJECT_DIR="\/nowhere"/),
    expect.stringMatching(/^settings warning COLIBRI_DURABILTY is not a setting/),
  ]);
  expect(examined.findings).toContainEqual(
    expect.objectContaining({ check: 'key', state: 'ok', message: expect.stringContaining(log) }),
  );
  expect(troubles(await examine(place, { env: { COLIBRI_DATABASE_URL: 'postgres://127.0.0.1:1/y' } }))).toEqual([
    expect.stringMatching(
      /^store problem The store cannot be opened: the database server cannot be reached \(ECONNREFUSED\)/,
    ),
  ]);
  expect(troubles(await examine(place, { env: { COLIBRI_MODE: 'MINIMAL' } }))).toEqual([]);
  expect(troubles(await examine(place, {}, ['--project', '/nowhere']))).toEqual([
    expect.stringMatching(/^settings problem --project="\/nowhere"/),
  ]);
});

test('a store that went back', async () => {
  const { place } = await rolledBackStore();
  const told = troubles(await examine(place));
  expect(told.join('\n')).toMatch(
    /^heads problem the store is older than its signed heads: log .* has \d+, \d+ were signed/m,
  );
});

test('the switchboard file: errors, variables, approvals', async () => {
  const { place } = await usedStore();
  const file = join(place.home, 'config', 'colibri', 'switchboard.json');
  fs.mkdirSync(dirname(file), { recursive: true });
  const write = (text: string | object) =>
    fs.writeFileSync(file, typeof text === 'string' ? text : JSON.stringify(text));
  write('{ "mcpServers": { ');
  expect(troubles(await examine(place))).toEqual([
    expect.stringMatching(/^switchboard problem .*switchboard\.json:1:/),
  ]);
  write({
    mcpServers: { a: { command: 'node', args: [`\${NO_SUCH_VARIABLE}`] }, b: { command: 'node', disabled: true } },
  });
  expect(troubles(await examine(place))).toEqual([
    expect.stringMatching(/^switchboard warning server a is not started: NO_SUCH_VARIABLE not set/),
  ]);
  fs.rmSync(file);
  const project = join(place.dir, 'project');
  fs.mkdirSync(join(project, '.colibri'), { recursive: true });
  fs.writeFileSync(
    join(project, '.colibri', 'switchboard.json'),
    JSON.stringify({ mcpServers: { a: { command: 'node' } } }),
  );
  expect(troubles(await examine(place, { cwd: project }))).toEqual([
    expect.stringMatching(/^switchboard warning server a is not approved/),
  ]);
});
