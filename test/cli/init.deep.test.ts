// `colibri init` on real files of every client: what is written, that nothing else changes, and that it can be taken back.
import '../support/deep-part.js';
import './init.test.js';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, test, vi } from 'vitest';
import { plainValue, readJson } from '../../src/files/json-text.js';
import { type ClientHome, clientHome, launch } from '../support/client-home.js';
import { SAMPLES, type Sample } from '../support/client-samples.js';
import { json } from '../support/command-line.js';
import { colourless, hasTerminals, onTerminal } from '../support/terminal.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

// biome-ignore lint/suspicious/noExplicitAny: looked at member by member
const parsedOf = (text: string, path: string): any =>
  path.endsWith('.toml') ? parse(text) : plainValue(readJson(text));

// biome-ignore lint/suspicious/noExplicitAny: looked at member by member
const serversBelow = (root: any) =>
  root.mcp_servers ?? root.servers ?? root.mcpServers ?? (root.mcp?.excluded ? {} : root.mcp);

/** How a client's entry starts Colibri, in the form of most clients. */
// biome-ignore lint/suspicious/noExplicitAny: looked at member by member
const startOf = (entry: any) => {
  if (Array.isArray(entry.command)) {
    const [command, ...args] = entry.command;
    return { command, args, env: entry.environment };
  }
  return entry.transport ?? entry;
};

const serversOf = (sample: Sample, at: ClientHome) => {
  const value = parsedOf(at.read(sample.path), sample.path);
  const root = sample.scope === 'local' ? value.projects[at.project] : value;
  return serversBelow(root);
};

/** Samples that one run can hold: different clients, one scope. */
const GROUPS = ['user', 'project', 'local', 'none', 'empty', 'alone'] as const;
const groupOf = ({ scope, text, isAlone }: Sample) => {
  if (isAlone) return 'alone';
  return text === undefined ? 'none' : text === '' ? 'empty' : scope;
};

const HAND = { json: '// mine, by hand\n', toml: '# mine, by hand\n' } as const;
const formatOf = ({ path }: Sample) => (path.endsWith('.toml') ? 'toml' : 'json');
const blank = { json: '{}', toml: '' } as const;

describe.each(GROUPS)('files of the group %s', (group) => {
  const samples = SAMPLES.filter((sample) => groupOf(sample) === group);
  const scope = samples[0]?.scope ?? 'user';
  const args = [
    ...['init', '--yes', ...samples.flatMap(({ client }) => ['--client', client])],
    ...(group === 'none' ? [] : ['--scope', scope]),
  ];
  const prepare = (): ClientHome => {
    const at = clientHome();
    for (const { path, text } of samples) if (text !== undefined) at.write(path, text);
    return at;
  };

  test('get an entry and keep the rest; undo gives every byte back', async () => {
    const at = prepare();
    const before = at.snapshot();
    const ran = await at.run(args);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
    for (const sample of samples) {
      const { colibri, ...others } = serversOf(sample, at);
      expect(startOf(colibri), sample.name).toMatchObject(launch(at.home));
      for (const kept of sample.keeps) expect(at.read(sample.path), sample.name).toContain(kept);
      const old = sample.text?.trim() ? parsedOf(sample.text, sample.path) : {};
      if (scope !== 'local') expect(others, sample.name).toEqual(serversBelow(old) ?? {});
    }
    const again = await at.run(args);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing was changed') });
    const undone = await at.run(['init', '--undo', '--yes']);
    expect(undone, undone.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('Undone.') });
    expect(at.snapshot()).toEqual(before);
    expect(fs.existsSync(join(at.project, '.colibri'))).toBe(false);
  });

  test('what is written by hand in between survives the undo', async () => {
    const at = prepare();
    await at.run(args);
    for (const sample of samples) {
      const [mark, text] = [HAND[formatOf(sample)], at.read(sample.path)];
      at.write(sample.path, text.startsWith('\uFEFF') ? `\uFEFF${mark}${text.slice(1)}` : `${mark}${text}`);
    }
    const undone = await at.run(['init', '--undo', '--yes']);
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('it was changed since') });
    expect(undone.stdout).toMatch(/^ {2}- .*colibri/m);
    for (const sample of samples) {
      const text = at.read(sample.path);
      expect(text, sample.name).toContain(HAND[formatOf(sample)]);
      expect(serversOf(sample, at)?.colibri, sample.name).toBeUndefined();
      const old = parsedOf(sample.text?.trim() ? sample.text : blank[formatOf(sample)], sample.path);
      expect(parsedOf(text, sample.path), sample.name).toMatchObject(old);
    }
  });
});

test('directly after it nothing is recorded yet, which is no failure unless the store was named', async () => {
  const at = clientHome();
  await at.run(['init', '--client', 'cursor', '--yes']);
  const before = at.snapshot();
  const store = { path: join(at.project, '.colibri', 'colibri.db'), rule: "the project's .colibri folder" };
  const empty: Readonly<Record<string, object>> = {
    status: { project: { name: 'project' } },
    log: { calls: [] },
    tasks: { tasks: [] },
    switchboard: { processes: [] },
  };
  for (const [command, lists] of Object.entries(empty)) {
    const told = await at.run([command]);
    expect(told, command).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(store.path) });
    expect(told.stdout).toMatch(/^Nothing is recorded yet: .*\n.*when a client starts Colibri/);
    const asData = await at.run([command, '--json']);
    expect(asData.code, command).toBe(0);
    expect(json(asData)).toMatchObject({ recorded: false, store, ...lists });
    const refusal = { code: 1, stdout: '', stderr: expect.stringContaining('There is no store at') };
    expect(await at.run([command, '--db', 'none.db'])).toMatchObject(refusal);
    expect(await at.run([command], { env: { COLIBRI_DB_PATH: store.path } })).toMatchObject(refusal);
  }
  // `log --follow` waits for the first record instead.
  for (const one of [
    ['log', '17'],
    ['tasks', 'T-0001'],
  ]) {
    expect(await at.run(one), one.join(' ')).toMatchObject({ code: 1, stdout: '' });
  }
  expect(at.snapshot()).toEqual(before);
});

test('no client, a client nobody knows, a scope that a client has not', async () => {
  const at = clientHome();
  const wrong = async (...args: string[]) => {
    const ran = await at.run(['init', '--yes', ...args]);
    expect(ran.code).toBe(1);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    return ran.stderr;
  };
  expect(await wrong()).toContain('No client was found');
  expect(await wrong('--client', 'cusor')).toContain('The nearest client name is cursor');
  expect(await wrong('--client', 'claude-desktop', '--scope', 'project')).toContain(
    'The scopes of Claude Desktop: user',
  );
  expect(await wrong('--undo', '--import')).toContain('--undo cannot be combined');
  const outside = await at.run(['init', '--yes', '--client', 'cursor', '--scope', 'project'], { cwd: at.home });
  expect(outside).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no project') });
  expect(await at.run(['init', '--client', 'cursor'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--yes'),
  });
  const readOnly = await at.run(['init', '--yes', '--client', 'cursor'], { env: { COLIBRI_MODE: 'READONLY' } });
  expect(readOnly).toMatchObject({ code: 1, stderr: expect.stringContaining('READONLY') });
  expect(at.snapshot()).toEqual({});
});

test('an entry of ours that is there is brought up to date; what a person added to it stays', async () => {
  const at = clientHome();
  const old = { command: 'npx', args: ['colibri'], env: { COLIBRI_LOG_LEVEL: 'debug' }, autoApprove: ['task_list'] };
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { colibri: old } }, undefined, 2));
  const before = at.snapshot();
  expect((await at.run(['init', '--client', 'cursor', '--yes'])).code).toBe(0);
  const { env, ...rest } = launch(at.home);
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers.colibri).toEqual({
    ...rest,
    env: { COLIBRI_LOG_LEVEL: 'debug', ...env },
    autoApprove: ['task_list'],
  });
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);
});

describe('a file that cannot be changed: one line, and nothing is', () => {
  const FILE = 'home/.cursor/mcp.json';
  const refused = async (at: ClientHome, why: RegExp, uid?: number): Promise<void> => {
    const before = at.snapshot();
    const ran = await at.run(
      ['init', '--client', 'cursor', '--client', 'codex', '--yes'],
      uid === undefined ? {} : { uid },
    );
    expect(ran.code).toBe(1);
    expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    expect(ran.stderr).toMatch(why);
    expect(at.snapshot()).toEqual(before);
  };

  test.each([
    ['invalid JSON', '{ "mcpServers": { "a": } }', /not valid JSON.*line 1, column 24.*Nothing was changed/],
    ['no object', '[]', /does not hold a JSON object/],
    ['servers that are none', '{ "mcpServers": [] }', /"mcpServers" is not an object/],
    ['a name twice', '{ "mcpServers": {}, "mcpServers": {} }', /written twice/],
    ['no UTF-8', Buffer.from([0xff, 0xfe, 0x7b, 0x00]).toString('latin1'), /is not UTF-8/],
  ])('%s', async (_, text, why) => {
    const at = clientHome();
    const file = at.write(FILE, '');
    fs.writeFileSync(file, text, 'latin1');
    await refused(at, why);
  });

  test('a folder in its place, a file in the place of its folder', async () => {
    const at = clientHome();
    fs.mkdirSync(join(at.home, '.cursor', 'mcp.json'), { recursive: true });
    await refused(at, /it is a folder, not a file/);
    const other = clientHome();
    other.write('home/.cursor', 'a file');
    await refused(other, /a file is in the place of a folder/);
  });

  const NOBODY = 65_534;
  test.runIf(process.getuid?.() === 0)('read-only, or in a folder that is', async () => {
    const at = clientHome();
    const file = at.write(FILE, '{}');
    fs.chmodSync(at.place.dir, 0o755);
    const give = (path: string) => fs.chownSync(path, NOBODY, NOBODY);
    for (const path of [at.home, at.project, dirname(file), file, at.place.env.TMPDIR ?? '']) give(path);
    fs.chmodSync(file, 0o444);
    await refused(at, /may not read or write/, NOBODY);
    fs.chmodSync(file, 0o644);
    fs.chmodSync(dirname(file), 0o555);
    await refused(at, /may not read or write/, NOBODY);
    fs.chmodSync(dirname(file), 0o755);
    expect(await at.run(['init', '--client', 'cursor', '--yes'], { uid: NOBODY })).toMatchObject({ code: 0 });
    expect(fs.statSync(file).uid).toBe(NOBODY);
  });
});

test('mode and symbolic links stay, also through undo', async () => {
  const at = clientHome();
  const real = at.write('home/dotfiles/cursor.json', '{}\n');
  fs.chmodSync(real, 0o640);
  fs.mkdirSync(join(at.home, '.cursor'));
  const link = join(at.home, '.cursor', 'mcp.json');
  fs.symlinkSync('../dotfiles/cursor.json', link);
  const agents = at.write('project/AGENTS.md', '# Rules\n');
  fs.symlinkSync('AGENTS.md', join(at.project, 'CLAUDE.md'));
  expect((await at.run(['init', '--client', 'cursor', '--agents', '--yes'])).code).toBe(0);
  expect(fs.readlinkSync(link)).toBe('../dotfiles/cursor.json');
  expect(fs.statSync(real).mode & 0o777).toBe(0o640);
  expect(JSON.parse(fs.readFileSync(real, 'utf8')).mcpServers.colibri).toBeDefined();
  expect(fs.readFileSync(agents, 'utf8').split('colibri:begin')).toHaveLength(2);
  await at.run(['init', '--undo', '--yes']);
  expect(fs.readlinkSync(link)).toBe('../dotfiles/cursor.json');
  expect([fs.readFileSync(real, 'utf8'), fs.statSync(real).mode & 0o777]).toEqual(['{}\n', 0o640]);
  expect(fs.readFileSync(agents, 'utf8')).toBe('# Rules\n');
});

test('a link of the project that leads out of it is not followed', async () => {
  const at = clientHome();
  const victim = at.write('home/.profile', 'export A=b\n');
  for (const [link, target] of [
    ['AGENTS.md', victim],
    ['.cursor', join(at.home, 'elsewhere')],
  ] as const) {
    fs.mkdirSync(join(at.home, 'elsewhere'), { recursive: true });
    fs.symlinkSync(target, join(at.project, link));
    const ran = await at.run(['init', '--client', 'cursor', '--scope', 'project', '--agents', '--yes']);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('leads out of the project') });
    fs.rmSync(join(at.project, link));
  }
  expect(Object.keys(at.snapshot())).toEqual(['home/.profile']);
  expect(fs.readFileSync(victim, 'utf8')).toBe('export A=b\n');
});

test('the part for agents: once, in place, in both files unless one points to the other', async () => {
  const at = clientHome();
  at.write('project/AGENTS.md', '# Rules\r\n');
  at.write('project/CLAUDE.md', 'Claude only.\n');
  const before = at.snapshot();
  const args = ['init', '--client', 'cursor', '--agents', '--yes'];
  await at.run(args);
  const first = at.snapshot();
  for (const path of ['project/AGENTS.md', 'project/CLAUDE.md'])
    expect(first[path]?.split('colibri:begin')).toHaveLength(2);
  await at.run(args);
  expect(at.snapshot()).toEqual(first);
  at.write('project/AGENTS.md', at.read('project/AGENTS.md').replace('## Colibri', '## Old words'));
  await at.run(args);
  expect(at.snapshot()).toEqual(first);
  for (let runs = 0; runs < 2; runs += 1) await at.run(['init', '--undo', '--yes']);
  // The second run replaced words that a person had changed: these come back first.
  expect(Object.keys(at.snapshot())).toEqual(Object.keys(before));
  expect(at.read('project/CLAUDE.md')).toBe('Claude only.\n');
  expect(at.read('project/AGENTS.md')).toBe('# Rules\r\n');

  at.write('project/CLAUDE.md', 'See @AGENTS.md\n');
  await at.run(args);
  expect(at.read('project/CLAUDE.md')).toBe('See @AGENTS.md\n');
});

test.runIf(hasTerminals)('a line of the diff stays one line on a narrow terminal', async () => {
  const at = clientHome();
  const args = ['init', '--dry-run', '--client', 'cursor', '--agents', '--project', at.project];
  const added = (text: string) =>
    colourless(text)
      .replace(/[0-9a-f]{32}/, 'a new id each time')
      .split('\n')
      .filter((line) => line.startsWith('  + '));
  const piped = added((await at.run(args)).stdout);
  expect(piped.some((line) => line.length > 60)).toBe(true);
  expect(added(onTerminal(at.place, args, 60, { PATH: process.env.PATH ?? '' }).stdout)).toEqual(piped);
});

test('a start that fails: no entry is written', async () => {
  const at = clientHome();
  const ran = await at.run(['init', '--client', 'cursor', '--yes'], { env: { TMPDIR: join(at.place.dir, 'nowhere') } });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot open a store') });
  expect(at.snapshot()).toEqual({});
});

test('a project that is no repository must be named', async () => {
  const at = clientHome();
  const folder = join(at.place.dir, 'plain');
  fs.mkdirSync(folder);
  const unnamed = await at.run(['init', '--client', 'cursor', '--yes'], { cwd: folder });
  expect(unnamed.stdout).toMatch(/There is no project here, .* --project <dir> names a project\./);
  expect(fs.readdirSync(folder)).toEqual([]);
  await at.run(['init', '--client', 'cursor', '--project', folder, '--yes'], { cwd: at.home });
  expect(fs.readdirSync(join(folder, '.colibri')).toSorted()).toEqual(['.gitignore', 'project.json']);
  // Undo goes by project: there are two runs, and each is taken back where it was made.
  expect((await at.run(['init', '--undo', '--yes'])).stdout).toContain('There are runs for');
  await at.run(['init', '--undo', '--yes', '--project', folder]);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test.each([
  ['claude-code', '.mcp.json', '{"mcpServers":{"a":{"command":"node"}}}'],
  ['cursor', '.cursor/mcp.json', '{"mcpServers":{"a":{"command":"node"}}}'],
  ['vscode', '.vscode/mcp.json', '{"servers":{"a":{"command":"node"}}}'],
  ['codex', '.codex/config.toml', '[mcp_servers.a]\ncommand = "node"\n'],
])('%s is there where the project has %s', async (client, file, text) => {
  const at = clientHome();
  at.write(`project/${file}`, text);
  const ran = await at.run(['init', '--import', '--dry-run', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran).clients).toMatchObject([{ client }]);
  expect(json(ran).servers).toMatchObject([{ client, scope: 'project', server: 'a', verdict: 'untried' }]);
});
