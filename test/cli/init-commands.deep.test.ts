// Clients that have a command of their own for it: that is used where it is on the PATH, and looked at afterwards.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { clientHome, launch } from '../support/client-home.js';
import { eventually } from '../support/process-list.js';
import { MAIN } from '../support/serve.js';
import { answerQuestions, CTRL_C, CTRL_D, hasTerminals } from '../support/terminal.js';
import { entryOf, STATE, textOf, withClaude } from './init.shared.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('the project file is edited by us: nobody else rewrites it, and its form stays', async () => {
  const at = withClaude();
  at.write('project/.mcp.json', '{\n\t"mcpServers": {}\n}\n');
  await at.run(['init', '--client', 'claude-code', '--scope', 'project', '--yes']);
  expect(at.calls()).toEqual([]);
  expect(at.read('project/.mcp.json')).toContain('\t\t"colibri": {');
});

test('an entry that is there is taken out first: the command refuses a name twice', async () => {
  const at = withClaude();
  const state = JSON.parse(at.read(STATE));
  state.mcpServers.colibri = { type: 'stdio', command: 'old', args: [], env: { COLIBRI_MODE: 'FULL' } };
  at.write(STATE, JSON.stringify(state));
  expect((await at.run(['init', '--client', 'claude-code', '--yes'])).code).toBe(0);
  expect(at.calls().map(({ args }) => args[1])).toEqual(['remove', 'add-json']);
  const { env } = launch(at.home);
  expect(JSON.parse(at.read(STATE)).mcpServers.colibri).toEqual({
    ...entryOf(at),
    env: { COLIBRI_MODE: 'FULL', ...env },
  });
});

test('a file that other processes have written since is changed back by the command too', async () => {
  const at = withClaude();
  await at.run(['init', '--client', 'claude-code', '--yes']);
  at.write(STATE, at.read(STATE).replace('"numStartups": 13', '"numStartups": 99'));
  const undone = await at.run(['init', '--undo', '--yes']);
  expect(undone, undone.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('it was changed since') });
  expect(at.calls().at(-1)?.args).toEqual(['mcp', 'remove', '--scope', 'user', 'colibri']);
  const state = JSON.parse(at.read(STATE));
  expect(state.numStartups).toBe(100);
  expect(Object.keys(state.mcpServers)).toEqual(['memory']);
});

test('codex mcp add, with its variables; another scope or an entry with more in it is edited by us', async () => {
  const at = clientHome(['codex']);
  at.write('home/.codex/config.toml', textOf('Codex, user'));
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'codex', '--yes']);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  const { command, args, env } = launch(at.home);
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  expect(at.calls().map((call) => call.args)).toEqual([
    ['mcp', 'add', 'colibri', ...variables, '--', command, ...args],
  ]);
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);
  at.write(
    'home/.codex/config.toml',
    `[mcp_servers.colibri]\ncommand = "/old/node"\nargs = ["/old/cli/main.js"]\ntool_timeout_sec = 90\n`,
  );
  await at.run(['init', '--client', 'codex', '--yes']);
  expect(at.calls()).toHaveLength(1);
  expect(at.read('home/.codex/config.toml')).toContain('tool_timeout_sec = 90');
});

test.each([
  ['fails', /claude mcp add-json failed: no network/],
  ['lies', /reported success, but did not change .*\.claude\.json as expected/],
])('a command that %s: what was done before it is taken back', async (how, why) => {
  const at = withClaude();
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'claude-code', '--agents', '--yes'], { env: { FAKE_CLAUDE: how } });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(why);
  expect(ran.stderr.trim().split('\n')).toHaveLength(1);
  expect(at.snapshot()).toEqual(before);
  expect((await at.run(['init', '--undo', '--yes'])).stdout).toContain('nothing to undo');
});

test('kill -9 in the middle: the next run is not locked out, and undo takes back what was done', async () => {
  const at = withClaude();
  const before = at.snapshot();
  const child = spawn(process.execPath, [MAIN, 'init', '--client', 'claude-code', '--agents', '--yes'], {
    cwd: at.project,
    env: { ...at.place.env, FAKE_CLAUDE: 'hangs' },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually('claude is asked', () => at.calls().length > 0, 25_000);
  child.kill('SIGKILL');
  await ended;
  const [hanging] = at.calls();
  if (hanging !== undefined) process.kill(hanging.pid, 'SIGKILL');
  expect(fs.existsSync(join(at.project, 'AGENTS.md'))).toBe(true);
  const undone = await at.run(['init', '--undo', '--yes']);
  expect(undone, undone.stderr).toMatchObject({ code: 0 });
  expect(at.snapshot()).toEqual(before);
  expect((await at.run(['init', '--client', 'claude-code', '--yes'])).code).toBe(0);
});

test('a run waits for another that is at work, and takes nothing of it for done', async () => {
  const at = withClaude();
  const go = join(at.place.dir, 'go');
  const first = at.run(['init', '--client', 'claude-code', '--agents', '--yes'], {
    env: { FAKE_CLAUDE: 'waits', FAKE_GO: go },
  });
  await eventually('claude is asked', () => at.calls().length > 0, 25_000);
  let ended = false;
  const second = at.run(['init', '--client', 'cursor', '--agents', '--yes']).then((ran) => {
    ended = true;
    return ran;
  });
  // It must not end now. One that does not wait would, long before this bound.
  await eventually('the second ends', () => ended, 2_000).catch(() => undefined);
  fs.writeFileSync(go, '');
  expect((await first).stderr).toContain('told so');
  expect(await second).toMatchObject({ code: 0 });
  expect(at.read('project/AGENTS.md')).toContain('colibri:begin');
  expect(at.read('project/.colibri/.gitignore')).toContain('switchboard.json');
});

test.runIf(hasTerminals)('on a terminal: asks, and takes no for an answer', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', '{}\n');
  const ask = (...answers: string[]) => answerQuestions(at, ['init', '--client', 'cursor'], answers);
  for (const answers of [['no\n'], ['N\n'], ['what\n', 'ever\n'], [CTRL_D]]) {
    const no = await ask(...answers);
    expect(no, no.text).toMatchObject({ code: 1, text: expect.stringContaining('\nNothing was changed.\n') });
  }
  const stopped = await ask(CTRL_C);
  expect(stopped.code).toBe(130);
  expect(stopped.text.split('?').at(-1)).toMatch(/\ncolibri: Nothing was changed\.\n$/);
  expect(at.read('home/.cursor/mcp.json')).toBe('{}\n');
  const yes = await ask('yes please\n', 'Y\n');
  expect(yes, yes.text).toMatchObject({ code: 0, text: expect.stringContaining('Done.') });
  expect(at.read('home/.cursor/mcp.json')).toContain('"colibri"');
  for (const args of [['init', '--undo'], ['uninstall']]) {
    const again = await answerQuestions(at, args, [CTRL_C]);
    expect(again, again.text).toMatchObject({ code: 130, text: expect.stringContaining('Nothing was changed.') });
    const no = await answerQuestions(at, args, ['n\n']);
    expect(no, no.text).toMatchObject({ code: 1, text: expect.stringContaining('Nothing was changed.') });
  }
  expect(at.read('home/.cursor/mcp.json')).toContain('"colibri"');
});
