import { expect, test } from 'vitest';
import { parseSwitchboard, type SwitchboardConfig } from './config.js';
import { type ConsentStanding, type JudgedServer, ownServer } from './consent.js';
import { type MergedBoard, mergeBoards } from './merge.js';

const parse = (file: string, names: readonly string[], routes: object): SwitchboardConfig => {
  const servers = Object.fromEntries(names.map((name) => [name, { command: `${file}-${name}` }]));
  return parseSwitchboard(JSON.stringify({ mcpServers: servers, routes }), { file, env: {}, configDir: '/' });
};

const user = (names: readonly string[], routes: object = {}): MergedBoard => {
  const config = parse('user', names, routes);
  return { origin: 'user', config, judged: config.servers.map((server) => ownServer(server, 'user', 'user')) };
};

const project = (
  standings: Readonly<Record<string, ConsentStanding>>,
  routes: object = {},
  kept: object = {},
): MergedBoard => {
  const config = parse('project', Object.keys(standings), routes);
  const old = parse('project', Object.keys(standings), kept).routes;
  const judged = config.servers.map((server): JudgedServer => {
    const standing = standings[server.name] ?? 'not_approved';
    const named = old.filter(({ providers }) => providers.some((one) => one.server === server.name));
    return { ...ownServer(server, 'project', 'project'), standing, routes: standing === 'changed' ? named : [] };
  });
  return { origin: 'project', config, judged };
};

const merged = (...boards: readonly MergedBoard[]) => {
  const { servers, passedOver, routes, waiting } = mergeBoards(boards);
  return {
    servers: servers.map(({ file, asked }) => `${file}:${asked.name}`),
    passedOver: passedOver.map(({ asked }) => asked.name),
    routes: Object.fromEntries(
      routes.map(({ name, providers }) => [name, providers.map(({ server, tool }) => `${server}/${tool}`).join()]),
    ),
    waiting: waiting.map(({ route }) => route),
  };
};

test("both files count, the user's own first", () => {
  expect(merged(user(['a', 'b']), project({ c: 'approved', d: 'not_approved' })).servers).toEqual([
    'user:a',
    'user:b',
    'project:c',
    'project:d',
  ]);
});

test.each<ConsentStanding>(['approved', 'changed', 'old'])(
  'a server of the project that is %s wins by its name',
  (standing) => {
    expect(merged(user(['a', 'b']), project({ a: standing })).servers).toEqual(['project:a', 'user:b']);
  },
);

test("one that is not approved never stands before the user's own", () => {
  expect(merged(user(['a']), project({ a: 'not_approved' }))).toMatchObject({ servers: ['user:a'], passedOver: ['a'] });
});

test('a route of the project counts once a server that it names is approved with it', () => {
  const routes = { r: ['c/x', 'd/y'] };
  expect(merged(project({ c: 'approved', d: 'not_approved' }, routes)).routes).toEqual({ r: 'c/x,d/y' });
  expect(merged(project({ c: 'not_approved', d: 'not_approved' }, routes))).toMatchObject({
    routes: {},
    waiting: ['r'],
  });
  expect(merged(project({ c: 'old' }, { r: ['c/x'] }))).toMatchObject({ routes: {}, waiting: ['r'] });
});

test("a route of the project that names the user's servers alone is nobody's wish", () => {
  expect(merged(user(['a']), project({ c: 'approved' }, { r: ['a/delete_repo'] }))).toMatchObject({
    routes: {},
    waiting: ['r'],
  });
});

test("a route whose server is not approved does not reach the user's server of that name instead", () => {
  const board = project({ a: 'not_approved', c: 'approved' }, { r: ['c/x', 'a/delete_repo'] });
  expect(merged(user(['a']), board)).toMatchObject({ routes: {}, waiting: ['r'] });
});

test('a route that was changed goes on as it was approved', () => {
  const board = project({ c: 'changed', d: 'approved' }, { r: ['c/delete_repo', 'd/y'] }, { r: ['c/x'] });
  expect(merged(board)).toMatchObject({ routes: { r: 'c/x' }, waiting: ['r'] });
});

test("an approved route of the project wins over the user's, one that waits does not", () => {
  const own = user(['a'], { r: ['a/x'] });
  expect(merged(own, project({ c: 'approved' }, { r: ['c/x'] })).routes).toEqual({ r: 'c/x' });
  expect(merged(own, project({ c: 'not_approved' }, { r: ['c/x'] })).routes).toEqual({ r: 'a/x' });
});
