// `colibri uninstall`: what init ever put anywhere is gone, what people and agents made is not.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { clientHome, launch } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { answerQuestions, CTRL_C, hasTerminals } from '../support/terminal.js';
import { CURSOR } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('stores of projects are named after init was taken back there, from wherever it is asked', async () => {
  const at = clientHome();
  const [other, gone] = ['other', 'gone'].map((name) => join(at.place.dir, name)) as [string, string];
  for (const dir of [other, gone]) {
    fs.mkdirSync(join(dir, '.git'), { recursive: true });
    expect((await at.run(['init', '--client', 'cursor', '--yes', '--project', dir])).code).toBe(0);
    fs.writeFileSync(join(dir, '.colibri', 'colibri.db'), 'every call');
  }
  const store = join(other, '.colibri');
  const left = async (...args: string[]) => json(await at.run(['uninstall', '--json', ...args])).left;
  for (const dir of [gone, other]) expect((await at.run(['init', '--undo', '--yes', '--project', dir])).code).toBe(0);
  expect(await left('--dry-run')).toEqual(expect.arrayContaining([store, join(gone, '.colibri')]));
  fs.rmSync(gone, { recursive: true });
  expect(await left('--dry-run')).not.toContain(join(gone, '.colibri'));
  await at.run(['init', '--client', 'cursor', '--yes']);
  const told = await left('--yes');
  expect(told).toContain(store);
  expect(told).not.toContain(join(gone, '.colibri'));
});

test('whose file was changed back has to be restarted, and is named', async () => {
  const at = clientHome();
  for (const args of [['init', '--undo'], ['uninstall']]) {
    await at.run(['init', '--client', 'cursor', '--client', 'vscode', '--yes']);
    expect((await at.run([...args, '--yes'])).stdout).toMatch(/^Restart (Cursor, VS Code|VS Code, Cursor): /m);
  }
  await at.run(['init', '--client', 'cursor', '--yes']);
  fs.rmSync(join(at.home, '.cursor'), { recursive: true });
  expect((await at.run(['init', '--undo', '--yes'])).stdout).not.toContain('Restart');
});

test('init --undo leaves the .gitignore while something is there that git must not see', async () => {
  const at = clientHome();
  const args = ['init', '--client', 'cursor', '--yes'];
  for (const name of ['colibri.db', 'colibri.db.backups/one.db']) {
    await at.run(args);
    at.write(`project/.colibri/${name}`, 'every argument of every call');
    const undone = await at.run(['init', '--undo', '--yes']);
    expect(undone).toMatchObject({ code: 0, stdout: expect.stringContaining('it keeps the store out of git') });
    expect(at.read('project/.colibri/.gitignore')).toContain('*\n');
    fs.rmSync(join(at.project, '.colibri'), { recursive: true });
  }
});

test('what becomes of a file that was changed since is shown before the yes, for all runs together', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', CURSOR);
  for (const scope of ['user', 'project']) {
    await at.run(['init', '--client', 'cursor', '--scope', scope, '--agents', '--yes']);
  }
  // The second run changes the entry of the first, and a person the file.
  const cursor = JSON.parse(at.read('home/.cursor/mcp.json'));
  delete cursor.mcpServers.colibri.env;
  at.write('home/.cursor/mcp.json', JSON.stringify(cursor, undefined, 2));
  await at.run(['init', '--client', 'cursor', '--yes']);
  at.write('home/.cursor/mcp.json', at.read('home/.cursor/mcp.json').replace('{', '{ "mine": 1,'));
  const before = at.snapshot();
  const dry = await at.run(['uninstall', '--dry-run']);
  expect(dry.code, dry.stderr).toBe(0);
  expect(dry.stdout).toMatch(/^This is a dry run: nothing is changed\./);
  expect(dry.stdout).toMatch(
    /\.cursor\/mcp\.json \(Cursor, user scope\): .*it was changed since\n( {2}.*\n)* {2}- .*"colibri"/,
  );
  expect(dry.stdout.match(/^.*home\/\.cursor\/mcp\.json/gm)).toHaveLength(1);
  expect(at.snapshot()).toEqual(before);
  const ran = await at.run(['uninstall', '--yes']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout.split('Colibri was removed.')[0]).toContain('it was changed since');
  expect(at.read('home/.cursor/mcp.json')).not.toContain('colibri');
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mine).toBe(1);
});

test.runIf(hasTerminals)('secrets are asked for by themselves, and stay after Ctrl-C', async () => {
  const at = clientHome();
  await at.run(['init', '--client', 'cursor', '--yes']);
  const secrets = at.write('home/state/colibri/secrets.json', '{"version":1,"secrets":{"mine.TOKEN":"hunter2"}}');
  const stopped = await answerQuestions(at, ['uninstall'], ['y\n', CTRL_C]);
  expect(stopped.code, stopped.text).toBe(130);
  expect(stopped.text).toMatch(/\ncolibri: Colibri was removed; the secrets stay\.\n$/);
  expect(at.snapshot()).toEqual({});
  expect(fs.existsSync(secrets)).toBe(true);
  const again = await answerQuestions(at, ['uninstall'], ['y\n', 'y\n']);
  expect(again, again.text).toMatchObject({ code: 0, text: expect.stringContaining('mine.TOKEN') });
  expect(fs.existsSync(secrets)).toBe(false);
});

test('secrets of moved servers go back with them: said before, and listed after', async () => {
  const at = clientHome();
  const server = { command: 'node', args: [serverFile('plain')], env: { A_TOKEN: 'hunter2-hunter2' } };
  const cursor = at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { plain: server } }));
  const secrets = join(at.state, 'secrets.json');
  const back = `${secrets} (secrets of servers that had moved): removed\n  plain.A_TOKEN: put back into ${cursor}\n`;
  for (const [command, end] of [
    [['uninstall'], 'Colibri was removed.'],
    [['init', '--undo'], 'Undone.'],
  ] as const) {
    const imported = await at.run(['init', '--client', 'cursor', '--import', '--yes']);
    expect(imported.stdout).toContain(`${secrets} (new, only you may read it): gets 1 secret: plain.A_TOKEN\n`);
    const dry = await at.run([...command, '--dry-run']);
    expect(dry.stdout).toContain(back);
    expect(dry.stdout).toMatch(/nothing (is|was) changed/i);
    expect(fs.existsSync(secrets)).toBe(true);
    const ran = await at.run([...command, '--yes']);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
    const [before = '', after = ''] = ran.stdout.split(end);
    expect(before).toContain(back);
    expect(ran.stdout).not.toContain('you are asked about it separately');
    expect(after).toMatch(/Removed: .*secrets\.json/);
    expect(fs.existsSync(secrets)).toBe(false);
    expect(at.read('home/.cursor/mcp.json')).toContain('hunter2-hunter2');
  }
});

test('a secret that others still need, or a person added, is not said to go', async () => {
  const at = clientHome();
  const server = { command: 'node', args: [serverFile('plain')], env: { A_TOKEN: 'hunter2-hunter2' } };
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { plain: server } }));
  await at.run(['init', '--client', 'cursor', '--import', '--yes']);
  const file = join(at.state, 'secrets.json');
  const held = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify({ ...held, secrets: { ...held.secrets, mine: 'another-one' } }));
  const dry = await at.run(['uninstall', '--dry-run']);
  expect(dry.stdout).toContain(
    '(secrets of servers that had moved): loses these secrets\n  plain.A_TOKEN: put back into',
  );
  expect(dry.stdout).toContain(`${file} contains 1 secret: mine: you are asked about it separately\n`);
  const undone = await at.run(['init', '--undo', '--yes']);
  expect(undone.stdout).not.toContain('Removed:');
  expect(JSON.parse(fs.readFileSync(file, 'utf8')).secrets).toEqual({ mine: 'another-one' });
});

test('entries that no journal knows are found; a server of the same name that is not ours is left', async () => {
  const at = clientHome();
  const { command, args } = launch(at.home);
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { a: {}, colibri: { command, args } } }));
  at.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { colibri: { command: 'another-thing' } } }));
  at.write('project/CLAUDE.md', 'Mine.\n\n<!-- colibri:begin -->\nold\n<!-- colibri:end -->\n\nMore.\n');
  const dry = await at.run(['uninstall', '--dry-run']);
  expect(dry.stdout).toContain(join(at.home, '.cursor', 'mcp.json'));
  expect(at.read('home/.cursor/mcp.json')).toContain('colibri');
  expect((await at.run(['uninstall', '--yes'])).code).toBe(0);
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers).toEqual({ a: {} });
  expect(JSON.parse(at.read('project/.cursor/mcp.json')).mcpServers).toHaveProperty('colibri');
  expect(at.read('project/CLAUDE.md')).toBe('Mine.\n\nMore.\n');
});

test('a file that cannot be changed now stays in the journal; the others are taken out', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', CURSOR);
  await at.run(['init', '--client', 'cursor', '--client', 'codex', '--agents', '--yes']);
  at.write('home/.cursor/mcp.json', '{ in the middle of an edit');
  const ran = await at.run(['uninstall', '--yes']);
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be undone') });
  expect(fs.existsSync(join(at.project, 'AGENTS.md'))).toBe(false);
  expect(fs.existsSync(join(at.home, '.codex'))).toBe(false);
  at.write('home/.cursor/mcp.json', '{ "mcpServers": { "colibri": {}, "mine": {} } }');
  expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
  expect(JSON.parse(at.read('home/.cursor/mcp.json'))).toEqual({ mcpServers: { mine: {} } });
});
