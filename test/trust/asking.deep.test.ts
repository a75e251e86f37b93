// Which calls need a yes, from whom, and what stays of it: hints and patterns, providers of a route, what is kept of the arguments, and questions
// that nobody asks again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { colibri, rows } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import type { Message } from '../support/serve.js';
import { fakeServer } from '../support/switchboard-file.js';
import { approvalsOf, approve } from './answering.js';
import { MINUTE, withClock } from './moved-clock.js';
import { errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

const ASKED = { tools: { ask: ['wipe'] } };
const codeOf = (answer: Message): string => errorOf(answer)?.code ?? 'called';
const idOf = (answer: Message): string => errorOf(answer)?.details.approval_id ?? '';

/** Which hints and settings make `"destructive"` ask. A server that lies is believed only with `trustHints`, and never against the file. */
const HINTS: readonly (readonly [annotations: object | undefined, settings: object, isAsked: boolean])[] = [
  [undefined, {}, true],
  [{}, {}, true],
  [{ readOnlyHint: true }, {}, false],
  [{ destructiveHint: false }, {}, false],
  [{ destructiveHint: true }, {}, true],
  [{ readOnlyHint: true, destructiveHint: true }, {}, true],
  [{ readOnlyHint: 'true', destructiveHint: 0 }, {}, true],
  [{ readOnlyHint: true }, { trustHints: false }, true],
  [{ destructiveHint: false }, { trustHints: false }, true],
  [{ readOnlyHint: true }, { tools: { destructive: ['wi*'] } }, true],
  [{ destructiveHint: true }, { tools: { readOnly: ['wipe'] } }, false],
  [{ destructiveHint: false }, { tools: { readOnly: ['wipe'], destructive: ['wipe'] } }, true],
];

test('"destructive" asks unless the file, or a hint that is trusted, says that nothing is destroyed', {
  timeout: 180_000,
}, async () => {
  const world = worldWith([]);
  const servers = HINTS.map(([annotations, settings], at) => {
    const tools = join(world.place.dir, `tools-${at}.json`);
    writeFileSync(tools, JSON.stringify([toolNamed('wipe', annotations && { annotations })]));
    const { tools: more, ...rest } = settings as { tools?: object };
    const entry = { ...fakeServer('changing', { TOOLS: tools }), ...rest, tools: { ask: 'destructive', ...more } };
    return [`s${at}`, entry] as const;
  });
  world.board(Object.fromEntries(servers));
  const client = await trustClient(world.place, 'v2 modern');
  for (const [at, [annotations, settings, isAsked]] of HINTS.entries()) {
    await untilListed(client, `s${at}__wipe`);
    const direct = codeOf(await client.call(`s${at}__wipe`));
    const routed = codeOf(await client.call('router_call', { server: `s${at}`, tool: 'wipe' }));
    const wanted = isAsked ? 'APPROVAL_REQUIRED' : 'called';
    expect([annotations, settings, direct, routed]).toEqual([annotations, settings, wanted, wanted]);
  }
});

test('patterns ask for what they name; each provider of a route needs a yes of its own', {
  timeout: 120_000,
}, async () => {
  const world = worldWith([]);
  const { place } = world;
  const [one, two] = ['one', 'two'].map((name) => {
    const tools = join(place.dir, `${name}.json`);
    writeFileSync(tools, JSON.stringify([toolNamed('wipe'), toolNamed('wiper'), toolNamed('look')]));
    return fakeServer('changing', { TOOLS: tools, LOG: join(place.dir, `${name}.log`) });
  });
  const ask = { tools: { ask: ['w*e'] } };
  world.board(
    { one: { ...one, ...ask }, two: { ...two, ...ask } },
    {
      routes: {
        clean: [
          { server: 'one', tool: 'wipe' },
          { server: 'two', tool: 'wipe' },
        ],
      },
    },
  );
  const client = await trustClient(place, 'v1');
  await untilListed(client, 'one__look');
  await untilListed(client, 'two__look');
  for (const name of ['one__look', 'one__wiper'])
    expect([name, codeOf(await client.call(name))]).toEqual([name, 'called']);
  const first = await client.call('clean', { path: 'x' });
  expect(errorOf(first)?.details).toMatchObject({ server: 'one', tool: 'wipe' });
  expect((await approve(place, idOf(first))).code).toBe(0);
  // The first provider is gone now: its yes is worth nothing for the second.
  world.board({ two: { ...two, ...ask } }, { routes: { clean: [{ server: 'two', tool: 'wipe' }] } });
  await eventually('the route has one provider', async () => {
    const { data } = (await client.call('router_score', { route: 'clean' })).structuredContent;
    return data.candidates.map(({ server }: Message) => server).join() === 'two';
  });
  const second = await client.call('clean', { path: 'x' });
  expect([codeOf(second), idOf(second) === idOf(first)]).toEqual(['APPROVAL_REQUIRED', false]);
  expect((await approve(place, idOf(second))).code).toBe(0);
  expect(codeOf(await client.call('clean', { path: 'x' }))).toBe('called');
  await client.close();
  const used = recordsOf(place, 'approval').filter(({ state }) => state === 'used');
  expect(used.map(({ server }) => server)).toEqual(['two']);
});

test.each(['stored', 'digest', 'none'])(
  'with COLIBRI_AUDIT_PAYLOADS=%s an approval is asked for, shown and proved alike',
  { timeout: 60_000 },
  async (payloads) => {
    const world = worldWith([toolNamed('wipe')], ASKED);
    const { place } = world;
    const client = await trustClient(place, 'v2 legacy', { env: { COLIBRI_AUDIT_PAYLOADS: payloads } });
    await untilListed(client, 'far__wipe');
    const asked = await client.call('far__wipe', { path: '/only/here', token: `ghp_${'a'.repeat(36)}` });
    const [waiting] = await approvalsOf(place);
    expect(waiting).toMatchObject({ state: 'asked', arguments: { path: '/only/here' } });
    expect(JSON.stringify(rows(place, 'SELECT * FROM approvals'))).not.toContain('ghp_a');
    expect((await approve(place, idOf(asked))).code).toBe(0);
    expect(codeOf(await client.call('far__wipe', { path: '/only/here', token: `ghp_${'a'.repeat(36)}` }))).toBe(
      'called',
    );
    await client.close();
    const [used] = rows<Message>(place, 'SELECT * FROM approvals');
    expect(used).toMatchObject({ state: 'used', args: null, args_digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    if (payloads !== 'stored')
      expect(
        JSON.stringify([rows(place, 'SELECT * FROM approvals'), rows(place, 'SELECT body FROM actions')]),
      ).not.toContain('/only/here');
    expect((await colibri(place, ['verify'])).code).toBe(0);
  },
);

test('what nobody asks about again runs out all the same, and its arguments go', { timeout: 150_000 }, async () => {
  const world = worldWith([toolNamed('wipe')], { ...ASKED, ask: { minutes: 1 } });
  const { place } = world;
  const argsOf = () => rows<{ state: string; args: string | null }>(place, 'SELECT state, args FROM approvals');
  const client = await trustClient(place, 'v2 modern');
  await untilListed(client, 'far__wipe');
  await client.call('far__wipe', { path: 'while it runs' });
  expect(argsOf()).toMatchObject([{ state: 'asked', args: expect.stringContaining('while it runs') }]);
  await sleep(61_500);
  await eventually('it ran out', () => argsOf()[0]?.state === 'expired');
  expect(argsOf()).toEqual([{ state: 'expired', args: null }]);
  await client.call('far__wipe', { path: 'at the next start' });
  await client.close();
  const clock = withClock(place.dir);
  clock.ahead(2 * MINUTE);
  const next = await trustClient(place, 'v1', { env: clock.env });
  await untilListed(next, 'far__wipe');
  await eventually('it ran out', () => argsOf().every(({ state, args }) => state === 'expired' && args === null));
  await next.close();
});
