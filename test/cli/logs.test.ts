// `colibri logs`: what servers wrote to stderr, through the built process and the command as a person runs it.
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri, json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Place, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';

interface Line {
  readonly at: string;
  readonly pid: number;
  readonly by: string;
  readonly text: string;
}

const linesOf = async (place: Place, server: string): Promise<readonly Line[]> =>
  json(await colibri(place, ['logs', server, '--json'])).lines;

const textsOf = async (place: Place, server: string): Promise<readonly string[]> =>
  (await linesOf(place, server)).filter(({ by }) => by === 'server').map(({ text }) => text);

const children: { kill(): void }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

/** Runs a command that does not end by itself; returns what it has printed so far. */
const following = (
  place: Place,
  args: readonly string[],
): { readonly text: () => string; stop(): Promise<number | null> } => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: place.dir, env: place.env });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
  children.push({ kill: () => child.kill('SIGKILL') });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    text: () => text,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
};

test('shows what a server wrote, without secrets and control characters', { timeout: 40_000 }, async () => {
  const place = freshPlace();
  const env = { API_TOKEN: 'hush-hush-4711', PLAIN: 'weather' };
  writeBoard(place, { chatty: { ...fakeServer('chatty', env) } });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'chatty');
    await peer.call('chatty__echo', { say: `my password is ${env.API_TOKEN}, really` });
    await peer.call('chatty__echo', { key: true });
    await peer.call('chatty__echo', {});
  });
  const lines = await linesOf(place, 'chatty');
  const texts = lines.filter(({ by }) => by === 'server').map(({ text }) => text);
  const all = texts.join('\n');
  expect(all).not.toContain('hush-hush');
  expect(all).not.toContain('MIIE');
  expect(all).not.toContain('c2VjcmV0b2ZrZXk0711');
  expect(texts).toEqual(
    expect.arrayContaining(['plain words about weather', 'progress 1', 'progress 2', 'after the key']),
  );
  expect(texts.find((text) => text.startsWith('red'))).toMatch(/^red and .*\\u202ebidi$/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(all.replaceAll('\n', '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
  expect(texts).toContain('2026-01-01T00:00:00.000Z 1 * forged');
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(8 * 1024);
  expect(lines.filter(({ by }) => by === 'colibri').map(({ text }) => text)).toContain('STARTING → HEALTHY');
  const shown = await colibri(place, ['logs', 'chatty', '--limit', '3']);
  expect(shown.stdout.trimEnd().split('\n')).toHaveLength(3);

  const { file } = json(await colibri(place, ['logs', 'chatty', '--json']));
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(file).toMatch(/\/log\/servers\/chatty-[0-9a-f]{16}\/server\.log$/);
});

deepTest(
  'a name steers no path, an unknown name gets the nearest, and no log yet is said',
  {
    timeout: 30_000,
  },
  async () => {
    const place = freshPlace();
    const names = ['../../../etc/evil', 'search', `it's "odd" $(x)`];
    writeBoard(place, Object.fromEntries(names.map((name) => [name, fakeServer('plain')])));
    await session(place, async (peer) => {
      await untilHealthy(peer, 'search');
      await peer.until(() => peer.stderr.split('STARTING → HEALTHY').length === 4, 20_000);
    });
    for (const name of names) {
      const { file, lines } = json(await colibri(place, ['logs', name, '--json']));
      expect(lines.at(-1)).toMatchObject({ by: 'colibri' });
      expect(dirname(dirname(file))).toMatch(/\/log\/servers$/);
      expect(fs.realpathSync(file)).toBe(`${fs.realpathSync(dirname(file))}/server.log`);
    }
    const wrong = await colibri(place, ['logs', 'serch']);
    expect(wrong).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/no server "serch"\. The nearest is "search"/),
    });
    const listed = await colibri(place, ['logs']);
    expect(listed.stdout).toContain('search');
    writeBoard(place, { fresh: fakeServer('plain') });
    expect(await colibri(place, ['logs', 'fresh'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^fresh has no log yet/),
    });
    expect(json(await colibri(place, ['logs', 'fresh', '--json']))).toMatchObject({ files: [], lines: [] });
    writeBoard(place, {});
    expect((await colibri(place, ['logs', 'x'])).stderr).toMatch(/no switchboard file has a server/);
    expect((await colibri(place, ['logs'])).stdout).toMatch(/there are no logs/);
  },
);

deepTest(
  '--follow waits for the file, prints new lines of two processes, and ends at Ctrl-C with 0',
  {
    timeout: 60_000,
  },
  async () => {
    const place = freshPlace();
    writeBoard(place, { chatty: fakeServer('chatty') });
    const follow = following(place, ['logs', 'chatty', '-f']);
    const asJson = following(place, ['logs', 'chatty', '-f', '--json']);
    const peers = [serve(place), serve(place)];
    for (const [at, peer] of peers.entries()) {
      await peer.initialize();
      await untilHealthy(peer, 'chatty');
      await peer.call('chatty__echo', { say: `word of ${at}` });
    }
    await eventually('both are shown', () => /word of 0[\s\S]*word of 1/.test(follow.text()));
    await eventually('as JSON lines, too', () => asJson.text().includes('word of 1'));
    const rows = asJson
      .text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(new Set(rows.filter(({ text }) => text.startsWith('word')).map(({ pid }) => pid)).size).toBe(2);
    expect(await follow.stop()).toBe(0);
    expect(await asJson.stop()).toBe(0);
  },
);

deepTest('a server that floods stderr fills neither the disk nor the process', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { flood: fakeServer('floods-stderr', { FLOOD_MB: '4' }) });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'flood');
    for (let call = 0; call < 4; call++) {
      expect((await peer.call('flood__echo', {})).result.content[0].text).toBe('flooded');
      expect((await peer.call('server_ping', {})).result.structuredContent.ok).toBe(true);
    }
  });
  const { files } = json(await colibri(place, ['logs', 'flood', '--json']));
  const bytes = files.reduce((sum: number, file: string) => sum + fs.statSync(file).size, 0);
  expect(bytes).toBeLessThan(5 * 1024 * 1024);
  expect(
    (await textsOf(place, 'flood')).some((text) => /^\(\d+ bytes left out: too many in a second\)$/.test(text)),
  ).toBe(true);
});

deepTest('in a mode that writes nothing there is no log', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { chatty: fakeServer('chatty') });
  const peer = serve(place, { env: { COLIBRI_MODE: 'TEST' } });
  await peer.initialize();
  await untilHealthy(peer, 'chatty');
  await peer.end();
  expect(await textsOf(place, 'chatty')).toEqual([]);
  expect(fs.existsSync(join(place.dir, 'log'))).toBe(false);
});
