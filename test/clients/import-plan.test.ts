// What an import plans without starting anything: an administrator's file is read and left alone, names do not collide.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('managed servers stay; the third of a name gets a number; our own entries are no servers to move', () => {
  const dir = fresh();
  const around = { home: dir, platform: 'linux', env: {}, projectDir: undefined } as const;
  const place = (scope: ClientPlace['scope'], name: string, servers: object): ClientPlace => {
    const file = join(dir, name);
    fs.writeFileSync(file, JSON.stringify({ mcpServers: servers }));
    return { scope, file, format: 'json', keys: ['mcpServers'] };
  };
  const a = (n: number) => ({ command: 'x', args: [`${n}`] });
  const places = [
    place('managed', 'managed.json', { admin: a(0) }),
    place('user', 'one.json', {
      same: a(1),
      colibri: a(9),
      other: { command: 'node', args: ['/opt/colibri/dist/cli/main.js', 'serve'] },
    }),
    place('user', 'two.json', { same: a(2) }),
    place('user', 'three.json', { same: a(3), 'bad\u0001': a(4) }),
    place('user', 'four.json', { same: a(1) }),
  ];
  const client: Client = { ...CLIENTS.cursor, places: () => places };
  const boards = boardsFor(around, join(dir, 'config'));
  const { moves, stays } = planImport([{ client, scope: 'user' }], boards, around, {});
  expect(moves.map(({ as, isNew }) => [as, isNew])).toEqual([
    ['same', true],
    ['same-cursor', true],
    ['same-cursor-3', true],
    ['same', false],
  ]);
  expect(stays.map(({ found, why }) => [found.name, why])).toEqual([
    ['admin', 'an administrator manages that file'],
    ['bad\u0001', 'its name cannot be used'],
  ]);
});
