// colibri switchboard list, tools, route and add --scope: which file a server is from, what its tools may do, and routes without an editor.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { fakeServer, untilHealthy } from '../support/switchboard-file.js';

vi.setConfig({ testTimeout: 120_000 });

/** A project with a file of its own beside the user's. */
const twoFiles = (): { place: Place; project: string; run: (...args: string[]) => ReturnType<typeof colibri> } => {
  const place = freshPlace();
  const project = join(place.dir, 'shop');
  fs.mkdirSync(join(project, '.git'), { recursive: true });
  fs.mkdirSync(join(project, '.colibri'));
  return { place, project, run: (...args) => colibri(place, args, { cwd: project }) };
};

const node = (name: string): string[] => ['--', 'node', ...(fakeServer(name).args as string[])];

test('a server is added to the file that is named; the list says which file each is from', async () => {
  const { place, project, run } = twoFiles();
  expect(await run('switchboard', 'list')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('switchboard add'),
  });
  const own = join(place.home, 'config', 'colibri', 'switchboard.json');
  const shared = join(project, '.colibri', 'switchboard.json');
  expect((await run('switchboard', 'add', 'mine', '--scope', 'user', ...node('plain'))).stdout).toContain(own);
  expect((await run('switchboard', 'add', 'ours', '--scope', 'project', ...node('plain'))).stdout).toContain(shared);
  expect(json(await run('switchboard', 'list', '--json'))).toMatchObject({
    files: [
      { file: shared, origin: 'project' },
      { file: own, origin: 'user' },
    ],
    servers: [
      { server: 'mine', file: own, origin: 'user', standing: 'own' },
      { server: 'ours', file: shared, origin: 'project', standing: 'approved' },
    ],
  });
  expect((await run('switchboard', 'list')).stdout).toMatch(/mine +user[\s\S]*ours +project +approved/);
  const file = JSON.parse(fs.readFileSync(shared, 'utf8'));
  file.mcpServers.ours.env = { MORE: '1' };
  fs.writeFileSync(shared, JSON.stringify(file));
  expect((await run('switchboard', 'list')).stdout).toMatch(/ours +project +changed[\s\S]*switchboard approve/);
  // Removed from the file that has it, whichever that is.
  expect((await run('switchboard', 'remove', 'mine')).stdout).toContain(own);
  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [['remove', 'mine'], /there is no server "mine"/],
    [['add', 'x', '--scope', 'user', '--file', 'y.json', '--', 'node'], /both name a file/],
    [['add', 'x', '--scope', 'team', '--', 'node'], /Allowed choices are user, project/],
    [['tools', 'our'], /the nearest is ours/],
  ];
  for (const [args, told] of mistakes)
    expect(await run('switchboard', ...args), args.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(told),
    });
  const env = { COLIBRI_SWITCHBOARD: own };
  expect(
    await colibri(place, ['switchboard', 'add', 'x', '--scope', 'user', '--', 'node'], { cwd: project, env }),
  ).toMatchObject({ code: 1, stderr: expect.stringContaining('unset that variable') });
  fs.rmSync(join(project, '.colibri'), { recursive: true });
  expect(await run('switchboard', 'add', 'x', '--scope', 'project', '--', 'node')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('colibri init'),
  });
});

test('a route is added and removed; what was approved stays approved, and nothing else becomes so', async () => {
  const { place, project, run } = twoFiles();
  const shared = join(project, '.colibri', 'switchboard.json');
  await run('switchboard', 'add', 'one', ...node('plain'));
  await run('switchboard', 'add', 'two', ...node('plain'));
  const stranger = JSON.parse(fs.readFileSync(shared, 'utf8'));
  stranger.mcpServers.two.env = { CHANGED: 'by somebody else' };
  fs.writeFileSync(shared, JSON.stringify(stranger));
  const added = await run('switchboard', 'route', 'add', 'web:say', 'one/echo', 'two/echo', '--fallback-on-error');
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('added the route web:say') });
  expect(JSON.parse(fs.readFileSync(shared, 'utf8')).routes).toEqual({
    'web:say': [{ server: 'one', tool: 'echo', fallbackOnError: true }, 'two/echo'],
  });
  const { servers } = json(await run('switchboard', 'list', '--json'));
  expect(servers).toMatchObject([
    { server: 'one', standing: 'approved' },
    { server: 'two', standing: 'changed' },
  ]);
  const mistakes: readonly (readonly [string[], RegExp])[] = [
    [['add', 'web:say', 'one/echo'], /there already is a route "web:say"/],
    [['add', 'more', 'noe/echo'], /the nearest is one/],
    [['add', 'more', 'one'], /server\/tool/],
    [['add', 'more', 'one/'], /server\/tool/],
    [['add', 'a b', 'one/echo'], /a route's name has/],
    [['rm', 'web:sya'], /the nearest is "web:say"/],
  ];
  const before = fs.readFileSync(shared, 'utf8');
  for (const [args, told] of mistakes)
    expect(await run('switchboard', 'route', ...args), args.join(' ')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(told),
    });
  expect(fs.readFileSync(shared, 'utf8')).toBe(before);
  expect(await run('switchboard', 'route', 'rm', 'web:say')).toMatchObject({ code: 0 });
  expect(json(await run('switchboard', 'list', '--json')).servers[0]).toMatchObject({ standing: 'approved' });
  // A route of the user's servers goes to the user's file, where it is used.
  await run('switchboard', 'add', 'mine', '--scope', 'user', ...node('plain'));
  expect((await run('switchboard', 'route', 'add', 'own:say', 'mine/echo')).stdout).toContain(place.home);
});

test('the tools of a server, as clients call them, and what a call of each may do', async () => {
  const place = freshPlace();
  const entry = { ...fakeServer('plain'), tools: { ask: ['echo'], deny: ['hang'] } };
  const file = join(place.dir, 'switchboard.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { shop: entry } }));
  place.env.COLIBRI_SWITCHBOARD = file;
  place.env.COLIBRI_DB_PATH = '';
  expect((await colibri(place, ['switchboard', 'tools', 'shop'])).stdout).toContain('not known yet');
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'shop');
  await peer.end();
  const { tools } = json(await colibri(place, ['switchboard', 'tools', 'shop', '--json']));
  expect(tools.find(({ tool }: { tool: string }) => tool === 'echo')).toMatchObject({
    name: 'shop__echo',
    asks: true,
    held: false,
  });
  expect((await colibri(place, ['switchboard', 'tools', 'shop'])).stdout).toMatch(
    /shop__echo +asks you[\s\S]*hang +not offered/,
  );
});
