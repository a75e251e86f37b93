// colibri doctor: says what is wrong and what to do, works where nearly everything is broken, changes nothing.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, rolledBackStore, usedStore } from '../support/command-line.js';
import { type Environment, freshPlace, serve } from '../support/serve.js';
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

test('a file with the address of a database that cannot be used is one problem among the findings', async () => {
  const place = freshPlace();
  const file = join(place.dir, 'address');
  const write = (text: string, mode = 0o600): void => fs.writeFileSync(file, text, { mode });
  const cases: readonly (readonly [RegExp, () => void])[] = [
    [/cannot be read \(ENOENT\)/, () => {}],
    [/does not hold an address.* @ as %40/, () => write('postgres://ann:Kest/rel@host/db\n')],
    [/does not hold an address/, () => write('mysql://ann:Kestrel@host/db')],
    [/holds more than one line/, () => write('postgres://ann:Kestrel@host/db\npostgres://bob:Kestrel@host/db\n')],
  ];
  for (const [said, prepare] of cases) {
    prepare();
    const env = { COLIBRI_DATABASE_URL_FILE: file };
    const { code, stdout } = await colibri({ ...place, env: { ...place.env, ...env } }, ['doctor', '--json']);
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; state: string; message: string; remedy: string }[];
    };
    expect({ code, problems: findings.filter(({ state }) => state === 'problem').length }).toEqual({
      code: 1,
      problems: 1,
    });
    const found = findings.find(({ state }) => state === 'problem');
    expect(found?.check).toBe('settings');
    expect(`${found?.message} ${found?.remedy}`).toMatch(said);
    expect(found?.message).toMatch(/^COLIBRI_DATABASE_URL_FILE: /);
    expect(stdout).not.toContain('Kest');
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(['program', 'disk', 'clients']));
  }
});
