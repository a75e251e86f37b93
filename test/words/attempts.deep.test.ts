// The words of a provider of a route that failed are kept, although another one answered: with its name, without secrets, and so that erase and
// prune reach them.
import { spawnSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { colibri, headsDir, json, rows } from '../support/command-line.js';
import { onScreen } from '../support/command-output.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { callId, keptWords } from './words.shared.js';

vi.setConfig({ testTimeout: 90_000 });

const VERIFIER = new URL('../python/verify.py', import.meta.url).pathname;
const hasPython = spawnSync('python3', ['--version']).status === 0;
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

/** Three servers whose tools are read-only, and a route for each way to fail. */
const board = (place: Place): void => {
  const tools = { readOnly: ['*'] };
  const says = () => ({ ...fakeServer('says'), tools });
  writeBoard(
    place,
    { first: says(), second: says(), mortal: says() },
    {
      routes: {
        'error:then': ['first/fail', 'second/answer'],
        'protocol:then': ['first/refuse', 'second/answer'],
        'both:fail': ['first/refuse', 'second/fail'],
        'dead:then': ['mortal/die', 'second/answer'],
        'none:fails': ['first/answer', 'second/answer'],
      },
    },
  );
};

const calling = async (place: Place, calls: readonly (readonly [tool: string, args: object])[], env = {}) =>
  session(
    place,
    async (peer) => {
      await untilHealthy(peer, 'first', 'second', 'mortal');
      const answers = [];
      for (const [tool, args] of calls) answers.push(await peer.call(tool, args, 60_000));
      return answers;
    },
    { env },
  );

const QUOTA = `429: the quota of this key is used up (${TOKEN})`;

test('what the provider before it said is told beside the answer of the one that served', async () => {
  const place = freshPlace();
  board(place);
  const { value } = await calling(place, [
    ['error__then', { text: QUOTA }],
    ['protocol__then', { text: QUOTA }],
    ['both__fail', { text: QUOTA }],
    ['router_fallback', { route: 'error:then', arguments: { text: QUOTA } }],
    ['none__fails', { text: QUOTA }],
    ['dead__then', { text: 'panic: index out of range' }],
  ]);
  const explained = async (n: number): Promise<string> =>
    (await onScreen(place, ['log', '--explain', callId(value[n] ?? {})])).stdout;
  for (const n of [0, 3]) expect(await explained(n)).toMatch(/returned an error.*\n +first: 429: the quota/);
  expect(await explained(1)).toMatch(/Try 1: .*protocol error[\s\S]*first: 429: the quota[\s\S]*data: \{"text":"429/);
  expect(await explained(2)).toMatch(/Try 2: [\s\S]*second: 429: the quota[\s\S]*was told:[\s\S]*429: the quota/);
  expect(await explained(4)).not.toContain('429');
  expect(await explained(5)).toMatch(/mortal: [\s\S]*exited with code 7[\s\S]*stderr[\s\S]*panic: index out of range/);
  const one = await onScreen(place, ['log', callId(value[0] ?? {})]);
  expect(one.stdout).toMatch(/said +first: 429: the quota of this key is used up/);
  expect(json(await colibri(place, ['log', callId(value[0] ?? {}), '--json'])).words).toEqual({
    kept: 'stored',
    attempts: [{ attempt: 0, message: '429: the quota of this key is used up ([redacted])' }],
  });
  expect(JSON.stringify(keptWords(place))).not.toContain(TOKEN);

  const verify = async (): Promise<number | null> => (await colibri(place, ['verify'])).code;
  expect(await verify()).toBe(0);
  const second = hasPython && spawnSync('python3', [VERIFIER, place.db, '--heads', headsDir(place)]);
  if (second !== false) expect([second.status, String(second.stdout)]).toMatchObject([0, expect.anything()]);
  await colibri(place, ['erase', callId(value[0] ?? {}), '--reason', 'a name', '--yes']);
  expect(await explained(0)).toContain('erased or pruned');
  expect(await verify()).toBe(0);
  const allWords = (): string => JSON.stringify(rows(place, 'SELECT json FROM payloads'));
  expect(allWords().split('panic: index').length).toBeGreaterThan(2);
  await colibri(place, ['erase', callId(value[5] ?? {}), '--reason', 'a name', '--yes']);
  expect(allWords()).not.toContain('panic: index');
  await colibri(place, ['prune', '--before', new Date().toISOString(), '--yes']);
  expect(keptWords(place)).toEqual([]);
  expect(await verify()).toBe(0);
});

test('the words of all attempts together have two kilobytes', async () => {
  const place = freshPlace();
  board(place);
  const text = 'é'.repeat(5_000);
  await calling(place, [
    ['error__then', { text }],
    ['both__fail', { text }],
    ['protocol__then', { text }],
  ]);
  for (const { attempts = [], ...words } of keptWords(place)) {
    const all = [words, ...attempts.map(({ attempt: _attempt, ...rest }) => rest)];
    const bytes = all.flatMap((one) => Object.values(one)).reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    expect(attempts).toHaveLength(1);
    expect(bytes).toBeLessThanOrEqual(2_048);
    expect(bytes).toBeGreaterThan(1_900);
  }
});

test.each(['digest', 'none'])('COLIBRI_AUDIT_PAYLOADS=%s keeps no words of attempts', async (policy) => {
  const place = freshPlace();
  board(place);
  await calling(place, [['error__then', { text: QUOTA }]], { COLIBRI_AUDIT_PAYLOADS: policy });
  expect(keptWords(place)).toEqual([]);
  expect(rows(place, "SELECT 1 FROM actions WHERE kind = 'call.exit' AND body LIKE '%texts%'")).toEqual([]);
});
