// What an import plans without starting anything: an administrator's file is read and left alone, and no name hides another server.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boardsFor } from '../../src/cli/init/boards.js';
import { planImport } from '../../src/cli/init/import.js';
import type { Client, ClientPlace } from '../../src/clients/client.js';
import { CLIENTS } from '../../src/clients/table.js';

const fresh = () => {
  const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-plan-'));
  onTestFinished(() => fs.rmSync(dir, { recursive: true }));
  return dir;
};

const write = (file: string, servers: object): string => {
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
};

interface Having {
  readonly scope: ClientPlace['scope'];
  readonly servers: object;
  readonly client?: keyof typeof CLIENTS;
}

/** The plan for clients whose files hold these servers, and for switchboard files that hold those. */
const planOf = (files: readonly Having[], boards: { user?: object; project?: object } = {}) => {
  const dir = fresh();
  const projectDir = join(dir, 'project');
  const around = { home: dir, platform: 'linux', env: {}, projectDir } as const;
  if (boards.user) write(join(dir, 'config', 'switchboard.json'), boards.user);
  if (boards.project) write(join(projectDir, '.colibri', 'switchboard.json'), boards.project);
  const ids = [...new Set(files.map(({ client = 'cursor' }) => client))];
  const chosen = ids.map((id) => {
    const places = files.flatMap(({ scope, servers, client = 'cursor' }, index): readonly ClientPlace[] => {
      const file = client === id ? write(join(dir, `${index}.json`), servers) : '';
      return client === id ? [{ scope, file, format: 'json', keys: ['mcpServers'] }] : [];
    });
    const client: Client = { ...CLIENTS[id], places: () => places };
    return { client, scope: 'user' } as const;
  });
  const { moves, stays } = planImport(chosen, boardsFor(around, join(dir, 'config')), around, {});
  return {
    stays: stays.map(({ found, why }) => [found.name, why]),
    moves: moves.map(({ found, board, as, isNew }) => `${found.name} → ${board.kind} ${as}${isNew ? '' : ', there'}`),
    changes: moves.map(({ changes }) => changes.map((line) => line.replaceAll(dir, ''))),
  };
};

const a = (n: number, more: object = {}) => ({ command: 'x', args: [`${n}`], ...more });

test('managed servers stay; a further one of a name gets a number; our own entries are no servers to move', () => {
  const { moves, stays } = planOf([
    { scope: 'managed', servers: { admin: a(0) } },
    {
      scope: 'user',
      servers: {
        same: a(1),
        colibri: { command: 'npx', args: ['-y', 'colibri', 'serve'] },
        other: { command: 'node', args: ['/opt/colibri/dist/cli/main.js', 'serve'] },
      },
    },
    { scope: 'user', servers: { same: a(2) } },
    { scope: 'user', servers: { same: a(3), 'bad\u0001': a(4) } },
    { scope: 'user', servers: { same: a(1) } },
  ]);
  expect(moves).toEqual(['same → user same', 'same → user same-2', 'same → user same-3', 'same → user same, there']);
  expect(stays).toEqual([
    ['admin', 'an administrator manages that file'],
    ['bad\u0001', 'its name cannot be used'],
  ]);
});

test('two clients, one name: the plan says who has the other server', () => {
  const { moves, changes } = planOf([
    { scope: 'user', servers: { everything: a(1) } },
    { scope: 'user', servers: { everything: a(2) }, client: 'vscode' },
  ]);
  expect(moves).toEqual(['everything → user everything', 'everything → user everything-2']);
  expect(changes).toEqual([[], ['is renamed to everything-2: Cursor (user) has another server of this name']]);
});

test("a project's server and a user's server of one name: neither hides the other", () => {
  const { moves, changes } = planOf([
    { scope: 'user', servers: { one: a(1), same: a(9) } },
    { scope: 'project', servers: { one: a(2), same: a(9) } },
  ]);
  expect(moves).toEqual([
    'one → project one',
    'same → project same',
    'one → user one-2',
    'same → user same', // the same server: it does not matter which counts
  ]);
  expect(changes[2]).toEqual(['is renamed to one-2: Cursor (project) has another server of this name']);
});

test('what the switchboard files hold already keeps its name, in both files', () => {
  const { moves, changes } = planOf(
    [
      { scope: 'user', servers: { one: a(1), two: a(2) } },
      { scope: 'project', servers: { three: a(3) } },
    ],
    { user: { two: a(2), three: a(9) }, project: { one: a(9) } },
  );
  expect(moves).toEqual(['three → project three-2', 'one → user one-2', 'two → user two, there']);
  expect(changes[0]).toEqual(['is renamed to three-2: /config/switchboard.json has another server of this name']);
});

test('a number never takes a name that another server has, there or in any client', () => {
  const { moves } = planOf(
    [
      { scope: 'user', servers: { x: a(1) } },
      { scope: 'user', servers: { x: a(2), 'x-2': a(3) }, client: 'vscode' },
    ],
    { user: { 'x-3': a(9) } },
  );
  expect(moves).toEqual(['x → user x', 'x → user x-4', 'x-2 → user x-2']);
  const long = 'n'.repeat(128);
  const cut = planOf([
    { scope: 'user', servers: { [long]: a(1) } },
    { scope: 'user', servers: { [long]: a(2) } },
  ]);
  expect(cut.moves[1]).toBe(`${long} → user ${'n'.repeat(126)}-2`);
});

test('a server of somebody else that is called colibri moves under another name', () => {
  const { moves, changes } = planOf([
    { scope: 'user', servers: { colibri: a(1), 'colibri-2': a(2) } },
    { scope: 'user', servers: { colibri: { url: 'https://birds.example/mcp' } }, client: 'vscode' },
  ]);
  expect(moves).toEqual(['colibri → user colibri-3', 'colibri-2 → user colibri-2', 'colibri → user colibri-4']);
  expect(changes[0]).toEqual(['is renamed to colibri-3: this is the name of Colibri']);
});

test('the same command with other settings: one entry, and what differs is said; other tools or a named folder are another server', () => {
  const { moves, changes } = planOf([
    { scope: 'user', servers: { one: a(1, { timeout: 5_000 }) } },
    { scope: 'user', servers: { one: a(1) }, client: 'claude-desktop' },
    { scope: 'user', servers: { one: a(1, { cwd: '/elsewhere' }) }, client: 'vscode' },
    { scope: 'user', servers: { one: a(1, { enabled_tools: ['read'] }) }, client: 'codex' },
  ]);
  expect(moves).toEqual(['one → user one', 'one → user one, there', 'one → user one-2', 'one → user one-3']);
  expect(changes[1]).toEqual(['the entry that is there counts; it differs in cwd, inheritEnv, timeoutMs']);
});
