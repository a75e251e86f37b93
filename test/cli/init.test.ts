// `colibri init` on real files of every client: what is written, that nothing else changes, and that it can be taken back.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, vi } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { clientHome, launch } from '../support/client-home.js';
import { SAMPLES } from '../support/client-samples.js';
import { json } from '../support/command-line.js';

vi.setConfig({ testTimeout: 120_000 }); // several processes each, on machines that may be busy

test('a real client starts the entry as it is written, and it works for the project', async () => {
  const at = clientHome();
  await at.run(['init', '--client', 'cursor', '--yes']);
  const { command, args, env } = JSON.parse(at.read('home/.cursor/mcp.json')).mcpServers.colibri;
  const { PATH = '', HOME = '' } = at.place.env;
  // As Cursor does it: from the root folder, with a variable that says which folder is open.
  const transport = new StdioClientTransport({
    command,
    args,
    env: { PATH, HOME, ...env, WORKSPACE_FOLDER_PATHS: at.project },
    cwd: '/',
    stderr: 'ignore',
  });
  const client = new Client({ name: 'cursor', version: '1' });
  at.place.onEnd(() => client.close());
  await client.connect(transport);
  await client.callTool({ name: 'task_create', arguments: { title: 'Move in' } });
  const made = await client.callTool({ name: 'task_get', arguments: { task_id: 'T-1' } });
  expect(made.structuredContent).toMatchObject({ ok: true, data: { project: 'project' } });
  expect(fs.existsSync(join(at.project, '.colibri', 'colibri.db'))).toBe(true);
});

deepTest('without names: every client that is there, each with the scope that fits it', async () => {
  const at = clientHome();
  for (const path of [
    'home/.claude/x',
    'home/.cursor/x',
    'home/config/Code/User/x',
    'home/.codex/x',
    'home/config/Claude/x',
  ]) {
    at.write(path, '');
  }
  const ran = await at.run(['init', '--yes', '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(json(ran).clients).toEqual([
    { client: 'claude-code', scope: 'user' },
    { client: 'cursor', scope: 'user' },
    { client: 'vscode', scope: 'project' },
    { client: 'codex', scope: 'user' },
    { client: 'claude-desktop', scope: 'user' },
  ]);
  expect(json(ran).start_ms).toBeGreaterThan(0);
  expect(at.read('project/.colibri/.gitignore')).toContain('!switchboard.json');
  expect(
    Object.keys(at.snapshot()).filter((path) => at.read(path).includes(launch(at.home).args[0] ?? '?')),
  ).toHaveLength(5);
});

test('a dry run and --print change nothing, not even in the state directory', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', SAMPLES.find(({ name }) => name === 'Cursor, user')?.text ?? '');
  const before = at.snapshot();
  const dry = await at.run(['init', '--client', 'cursor', '--dry-run', '--agents']);
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('+     "colibri": {') });
  const printed = await at.run(['init', '--client', 'cursor', '--client', 'codex', '--print']);
  expect(printed.code).toBe(0);
  expect(printed.stdout).toContain('[mcp_servers.colibri]');
  const [snippet = ''] = printed.stdout.split('[mcp_servers');
  expect(JSON.parse(snippet).mcpServers.colibri).toEqual(launch(at.home));
  expect(at.snapshot()).toEqual(before);
  expect(fs.existsSync(at.state)).toBe(false);
});

deepTest('two runs at once: one entry, one run to take back', async () => {
  const at = clientHome();
  at.write('home/.cursor/mcp.json', SAMPLES.find(({ name }) => name === 'Cursor, user')?.text ?? '');
  const before = at.snapshot();
  const runs = await Promise.all(
    ['cursor', 'cursor', 'codex'].map((client) => at.run(['init', '--client', client, '--agents', '--yes'])),
  );
  expect(
    runs.map(({ code }) => code),
    runs.map(({ stderr }) => stderr).join(),
  ).toEqual([0, 0, 0]);
  expect(at.read('home/.cursor/mcp.json').split('"colibri"')).toHaveLength(2);
  expect(at.read('project/AGENTS.md').split('colibri:begin')).toHaveLength(2);
  const { runs: kept } = JSON.parse(fs.readFileSync(join(at.state, 'init', 'journal.json'), 'utf8'));
  expect(kept).toHaveLength(2);
  for (const _ of kept) expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
  expect(at.snapshot()).toEqual(before);
  expect((await at.run(['init', '--undo', '--yes'])).stdout).toContain('nothing to undo');
});
