// The clients' own programs, where they are on this machine: what `init` wrote is in their own list of servers, and what they wrote themselves is
// moved by `init --import`. A program that is absent is said, not failed.
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { ClientId, ClientScope } from '../../src/clients/client.js';
import { type ClientHome, clientHome } from '../support/client-home.js';
import { json } from '../support/command-line.js';
import { serverFile } from '../support/dial.js';
import { clientProgram, runProgram } from './programs.js';

vi.setConfig({ testTimeout: 600_000 }); // programs of others, on machines that may be busy

const PLAIN = serverFile('plain');

interface Own {
  readonly id: ClientId;
  readonly program: string;
  readonly scopes: readonly ClientScope[];
  /** The arguments with which the program adds the server `theirs` for the user. */
  readonly add: readonly string[];
  /** The arguments with which the program lists its servers; undefined if it has no such command. */
  readonly list?: readonly string[];
  /** Makes the program trust the project. */
  readonly trust?: (at: ClientHome) => void;
}

const OWN: readonly Own[] = [
  {
    id: 'codex',
    program: 'codex',
    scopes: ['user'],
    add: ['mcp', 'add', 'theirs', '--env', 'A=1', '--', 'node', PLAIN],
    list: ['mcp', 'list'],
  },
  {
    id: 'copilot',
    program: 'copilot',
    scopes: ['user', 'project'],
    add: ['mcp', 'add', 'theirs', '--env', 'A=1', '--', 'node', PLAIN],
    list: ['mcp', 'list'],
    trust: (at) => at.write('home/.copilot/config.json', JSON.stringify({ trusted_folders: [at.project] })),
  },
  {
    id: 'gemini',
    program: 'gemini',
    scopes: ['user', 'project'],
    add: ['mcp', 'add', '-s', 'user', '-e', 'A=1', 'theirs', 'node', PLAIN],
    list: ['mcp', 'list'],
  },
  {
    id: 'qwen',
    program: 'qwen',
    scopes: ['user', 'project'],
    add: ['mcp', 'add', '-s', 'user', '-e', 'A=1', 'theirs', 'node', PLAIN],
    list: ['mcp', 'list'],
  },
  {
    id: 'opencode',
    program: 'opencode',
    scopes: ['user', 'project'],
    add: ['mcp', 'add', 'theirs', '--env', 'A=1', '--', 'node', PLAIN],
    list: ['mcp', 'list'],
  },
  { id: 'cline', program: 'cline', scopes: ['user'], add: ['mcp', 'add', 'theirs', '--yes', '--', 'node', PLAIN] },
];

/** The program's environment: the home of the test, and the PATH of this machine, on which the program's own Node is. */
const environment = (at: ClientHome): Record<string, string> => {
  const { COLIBRI_DB_PATH: _db, FAKE_LOG: _log, ...env } = at.place.env;
  const nowhere = 'http://127.0.0.1:9'; // a program that wants to look for a newer version does not leave this machine
  const proxies = { HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, http_proxy: nowhere, https_proxy: nowhere };
  return { ...env, ...proxies, NO_PROXY: 'localhost,127.0.0.1', PATH: process.env.PATH ?? '', NO_COLOR: '1', CI: '1' };
};

for (const { id, program, scopes, add, list, trust } of OWN) {
  const file = clientProgram(program);
  if (file === undefined) process.stderr.write(`${program} is not on this machine: its list is not looked at\n`);

  describe.runIf(file !== undefined)(id, () => {
    const run = (at: ClientHome, args: readonly string[]) =>
      runProgram(realpathSync(file ?? ''), args, { cwd: at.project, env: environment(at) });

    test.runIf(list !== undefined).each(scopes)('its own list shows our entry, %s scope', async (scope) => {
      const at = clientHome();
      trust?.(at);
      const ran = await at.run(['init', '--client', id, '--scope', scope, '--yes']);
      expect(ran.code, ran.stderr).toBe(0);
      const listed = await run(at, list ?? []);
      expect(listed.out, `${listed.code}`).toMatch(/\bcolibri\b/);
      expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
      expect((await run(at, list ?? [])).out).not.toMatch(/\bcolibri\b[ :(]/);
    });

    test('what its own command wrote is moved, and comes back', async () => {
      const at = clientHome();
      const added = await run(at, add);
      expect(added.code, added.out).toBe(0);
      const before = at.snapshot();
      const ran = await at.run(['init', '--client', id, '--import', '--yes', '--json']);
      expect(ran.code, ran.stderr).toBe(0);
      const row = json(ran).servers.find(({ server }: { server: string }) => server === 'theirs');
      expect(row, ran.stdout).toMatchObject({
        client: id,
        scope: 'user',
        as: 'theirs',
        verdict: expect.stringMatching(/moved|changed/),
      });
      const board = JSON.parse(at.read('home/config/colibri/switchboard.json')).mcpServers;
      expect(board.theirs).toMatchObject({ command: 'node', args: [PLAIN] });
      if (add.includes('A=1')) expect(board.theirs.env).toEqual({ A: '1' });
      if (list !== undefined) {
        const { out } = await run(at, list);
        expect(out).toMatch(/\bcolibri\b/);
        expect(out).not.toMatch(/\btheirs\b/);
      }
      expect((await at.run(['init', '--undo', '--yes'])).code).toBe(0);
      // What the program itself has written in between, such as its caches, is its own.
      const after = at.snapshot();
      const [touched = ''] = json(ran)
        .files.map((one: { file: string }) => one.file.slice(at.place.dir.length + 1))
        .filter((path: string) => path in before);
      expect(touched).not.toBe('');
      const servers = (text = '') => text.includes('"theirs"') || text.includes('[mcp_servers.theirs]');
      expect([before[touched], after[touched]].map(servers)).toEqual([true, true]);
      expect(after[touched]).not.toContain('colibri');
    });
  });
}

test('CLIENT_PROGRAMS names folders that are looked at first', () => {
  const at = clientHome();
  const mine = join(at.place.dir, 'mine');
  writeFileSync(mine, '#!/bin/sh\n', { mode: 0o755 });
  vi.stubEnv('CLIENT_PROGRAMS', at.place.dir);
  expect(clientProgram('mine')).toBe(mine);
  vi.unstubAllEnvs();
  expect(clientProgram('mine')).toBeUndefined();
});
