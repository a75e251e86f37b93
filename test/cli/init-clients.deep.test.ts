// `colibri init` on bad days of the clients that keep their servers in forms of their own: secrets, servers that are switched off, broken files,
// two clients with one file, somebody else's server that is called colibri.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as the files have it
import * as fs from 'node:fs';
import { parse } from 'smol-toml';
import { expect, test, vi } from 'vitest';
import { clientHome } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { SECRET } from './init.shared.js';

vi.setConfig({ testTimeout: 180_000 }); // several processes each, on machines that may be busy

const PLAIN = serverFile('plain');
const COPILOT = 'home/.copilot/mcp-config.json';
const GEMINI = 'home/.gemini/settings.json';
const QWEN = 'home/.qwen/settings.json';
const OPENCODE = 'home/config/opencode/opencode.json';
const CLINE = 'home/.cline/data/settings/cline_mcp_settings.json';
const ALL = ['copilot', 'gemini', 'qwen', 'opencode', 'cline'].flatMap((id) => ['--client', id]);

const plain = (name: string) => ({ command: 'node', args: [PLAIN, name], env: { A_TOKEN: `${SECRET}-${name}` } });
const off = { command: 'sh', args: ['-c', 'exit 7'] };

test('servers of all five move with their secrets, those that are switched off stay, undo gives every byte back', async () => {
  const at = clientHome();
  at.write(
    COPILOT,
    JSON.stringify({ mcpServers: { cop: { type: 'local', tools: ['echo'], ...plain('cop') }, 'cop-off': off } }),
  );
  at.write('home/.copilot/settings.json', '{ "disabledMcpServers": ["cop-off"] }');
  at.write(
    GEMINI,
    `{
  // mine
  "mcpServers": { "gem": ${JSON.stringify(plain('gem'))}, "Gem-Off": ${JSON.stringify(off)}, "gem-ex": ${JSON.stringify(off)} },
  "mcp": { "excluded": ["gem-ex"] }
}
`,
  );
  at.write('home/.gemini/mcp-server-enablement.json', '{ "gem-off": { "enabled": false } }');
  at.write(QWEN, JSON.stringify({ mcpServers: { qw: plain('qw') }, $version: 4 }, undefined, 2));
  const { command, args, env } = plain('open');
  at.write(
    OPENCODE,
    JSON.stringify({
      mcp: {
        open: { type: 'local', command: [command, ...args], environment: env },
        'open-off': { type: 'local', command: ['sh', '-c', 'exit 7'], enabled: false },
      },
    }),
  );
  at.write(
    CLINE,
    JSON.stringify({
      mcpServers: {
        cl: { transport: { type: 'stdio', ...plain('cl') }, timeout: 30 },
        'cl-off': { ...off, disabled: true, autoApprove: [] },
      },
    }),
  );
  const before = at.snapshot();
  const ran = await at.run(['init', ...ALL, '--import', '--yes', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout + ran.stderr).not.toContain(SECRET);
  const verdicts = json(ran).servers.map(
    ({ server, verdict }: { server: string; verdict: string }) => `${server} ${verdict}`,
  );
  expect(verdicts.toSorted()).toEqual(
    [
      ...['cl', 'cop', 'gem', 'open', 'qw'].map((name) => `${name} changed`),
      ...['Gem-Off', 'cl-off', 'cop-off', 'gem-ex', 'open-off'].map((name) => `${name} left`),
    ].toSorted(),
  );
  const board = JSON.parse(at.read('home/config/colibri/switchboard.json')).mcpServers;
  for (const name of ['cl', 'cop', 'gem', 'open', 'qw']) {
    expect(board[name], name).toMatchObject({
      command: 'node',
      args: [PLAIN, name],
      env: { A_TOKEN: `\${secret:${name}.A_TOKEN}` },
    });
  }
  expect(board.cop.tools).toEqual({ allow: ['echo'] });
  expect(board.cl.timeoutMs).toBe(30_000);
  expect(Object.values(at.snapshot()).join()).not.toContain(SECRET);
  expect(JSON.parse(at.read(CLINE)).mcpServers).toMatchObject({
    colibri: { transport: { type: 'stdio' } },
    'cl-off': {},
  });
  const undone = await at.run(['init', '--undo', '--yes']);
  expect(undone.code, undone.stderr).toBe(0);
  expect(at.snapshot()).toEqual(before);
});

test('a broken file of any of them: one line with the place, and nothing is changed anywhere', async () => {
  const broken = '{\n  "mcpServers": {\n    "a": nonsense\n  },\n  "mcp": nonsense\n}\n';
  for (const [client, path] of [
    ['copilot', COPILOT],
    ['gemini', GEMINI],
    ['qwen', QWEN],
    ['opencode', OPENCODE],
    ['cline', CLINE],
  ] as const) {
    const at = clientHome();
    const file = at.write(path, broken);
    const before = at.snapshot();
    const ran = await at.run(['init', '--client', client, '--client', 'cursor', '--yes']);
    expect(ran.code, client).toBe(1);
    expect(ran.stderr.trim().split('\n'), client).toHaveLength(1);
    expect(ran.stderr).toContain(file);
    expect(ran.stderr).toMatch(/line 3/);
    expect(at.snapshot()).toEqual(before);
  }
});

test('Claude Code and Copilot share .mcp.json: one entry, each server once, and every byte comes back', async () => {
  const at = clientHome();
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { one: { command: 'node', args: [PLAIN] } } }));
  const before = at.snapshot();
  const clients = ['--client', 'claude-code', '--client', 'copilot', '--scope', 'project'];
  const ran = await at.run(['init', ...clients, '--import', '--yes', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran).servers).toMatchObject([{ server: 'one', client: 'claude-code', as: 'one' }]);
  expect(Object.keys(JSON.parse(at.read('project/.mcp.json')).mcpServers)).toEqual(['colibri']);
  expect(fs.existsSync(`${at.project}/.github`)).toBe(false);
  const again = await at.run(['init', ...clients, '--yes']);
  expect(again.stdout).toContain('nothing was changed');
  // Also after a change by hand.
  at.write('project/.mcp.json', `\n${at.read('project/.mcp.json')}`);
  expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
  expect(JSON.parse(at.read('project/.mcp.json'))).toEqual(JSON.parse(before['project/.mcp.json'] ?? ''));
});

test("somebody else's server that is called colibri: it moves under another name, or the plan says that it is replaced", async () => {
  const at = clientHome();
  const theirs = { command: 'node', args: [PLAIN], env: { A_TOKEN: SECRET } };
  at.write('home/.cursor/mcp.json', JSON.stringify({ mcpServers: { colibri: theirs } }));
  const before = at.snapshot();
  const replaced = await at.run(['init', '--client', 'cursor', '--yes']);
  expect(replaced.stdout).toContain('Cursor has another server called colibri in ');
  expect(at.read('home/.cursor/mcp.json')).not.toContain(SECRET);
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);

  const moved = await at.run(['init', '--client', 'cursor', '--import', '--yes', '--json']);
  expect(moved.code, moved.stderr).toBe(0);
  expect(json(moved).servers).toMatchObject([{ server: 'colibri', as: 'colibri-2', verdict: 'changed' }]);
  expect(json(moved).notes.join()).not.toContain('another server called colibri');
  expect(JSON.parse(at.read('home/config/colibri/switchboard.json')).mcpServers).toHaveProperty('colibri-2');
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers.colibri.args).toContain('serve');
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);
});

test("a project's server and a user's server of one name: both are behind the switchboard afterwards", async () => {
  const at = clientHome();
  at.write(
    'home/.gemini/settings.json',
    JSON.stringify({ mcpServers: { same: { command: 'node', args: [PLAIN, 'u'] } } }),
  );
  at.write('project/.mcp.json', JSON.stringify({ mcpServers: { same: { command: 'node', args: [PLAIN, 'p'] } } }));
  const ran = await at.run(['init', '--client', 'gemini', '--client', 'claude-code', '--import', '--yes']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toContain('is renamed to same-2: Claude Code (project) has another server of this name');
  const { servers } = json(await at.run(['switchboard', 'check', '--json']));
  expect(
    servers.map(({ server, verdict }: { server: string; verdict: string }) => [server, verdict]).toSorted(),
  ).toEqual([
    ['same', 'ready'],
    ['same-2', 'ready'],
  ]);
});

test('--required: Codex waits for Colibri; we write the file, because its own command cannot; others have no such setting', async () => {
  const at = clientHome(['codex']);
  const before = at.snapshot();
  const ran = await at.run(['init', '--client', 'codex', '--client', 'cursor', '--required', '--yes']);
  expect(ran, ran.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Cursor has no setting for --required.'),
  });
  expect(at.calls()).toEqual([]);
  const entry = () => (parse(at.read('home/.codex/config.toml')).mcp_servers as { colibri: object }).colibri;
  expect(entry()).toMatchObject({ required: true });
  expect(JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers.colibri).not.toHaveProperty('required');
  expect((await at.run(['init', '--client', 'codex', '--yes'])).stdout).toContain('nothing was changed');
  expect(entry()).toMatchObject({ required: true });
  await at.run(['init', '--undo', '--yes']);
  expect(at.snapshot()).toEqual(before);
  const refused = await at.run(['init', '--undo', '--required']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--undo cannot be combined') });
});
