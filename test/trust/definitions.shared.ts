// What definitions.test.ts and definitions.deep.test.ts share: every call of another server's tool names the definition that this client was shown, recomputed here from what `tools/list` answered.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { colibri, rows } from '../support/command-line.js';
import { canonical } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import type { ClientKind, Message } from '../support/serve.js';
import { recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

const MEMBERS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

const digestOf = (listed: Message | undefined): string => {
  const shown = Object.fromEntries(
    MEMBERS.flatMap((name) => (listed?.[name] === undefined ? [] : [[name, listed[name]]])),
  );
  return createHash('sha256').update(canonical(shown)).digest('hex');
};

const TOOLS = [
  toolNamed('wipe', {
    title: 'Wipe',
    annotations: { destructiveHint: true },
    outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    _meta: { secret: 1 },
  }),
  toolNamed('look'),
];

const ROUTES = { routes: { clean: [{ server: 'far', tool: 'wipe' }] } };

export const testDefinitions = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)('a %s client: each call names what it was shown', async (kind) => {
    const world = worldWith(TOOLS);
    const { place } = world;
    world.board({ far: world.entry() }, ROUTES);
    const client = await trustClient(place, kind);
    await untilListed(client, 'far__wipe');
    const listed = new Map((await client.list()).map((tool) => [tool.name, tool]));
    // `wipe` has an output schema, which clients hold its answer against.
    await client.call('far__look');
    await client.call('router_call', { server: 'far', tool: 'look' });
    await client.call('router_fallback', { route: 'clean' }).catch(() => {});
    await client.call('clean').catch(() => {});
    await client.call('far__wipe', { path: 5 }).catch(() => {});
    await client.call('router_call', { server: 'far', tool: 'no_such' });
    await client.call('server_ping');
    world.list([toolNamed('look', { description: 'Now it looks at everything.' })]);
    await eventually('the change is recorded', () => recordsOf(place, 'catalogue').length > 1);
    await client.call('far__look', { path: 'after' });
    await client.list();
    const again = await untilListed(client, 'far__look');
    await client.call('far__look', { path: 'again' });
    await client.close();

    const shown = [
      ['far__look', listed.get('far__look')],
      ['router_call', listed.get('far__look')],
      ['router_fallback', listed.get('clean')],
      ['clean', listed.get('clean')],
      ['far__wipe', listed.get('far__wipe')],
      ['router_call', undefined],
      ['server_ping', undefined],
      ['far__look', listed.get('far__look')],
      ['far__look', again],
    ] as const;
    expect(digestOf(again)).not.toBe(digestOf(listed.get('far__look')));
    expect(
      recordsOf(place, 'call.enter').map(({ tool, definition, unlisted }) => [tool, definition, unlisted]),
    ).toEqual(shown.map(([tool, definition]) => [tool, definition && digestOf(definition), undefined]));

    const [first, changed] = recordsOf(place, 'catalogue');
    const whole = (tool: Message) => createHash('sha256').update(canonical(tool)).digest('hex');
    expect(first?.digests).toEqual([TOOLS[1], TOOLS[0]].map((tool = {}) => ({ tool: tool.name, after: whole(tool) })));
    expect(changed?.digests).toEqual([
      {
        tool: 'look',
        before: whole(TOOLS[1] ?? {}),
        after: whole(toolNamed('look', { description: 'Now it looks at everything.' })),
      },
      { tool: 'wipe', before: whole(TOOLS[0] ?? {}) },
    ]);
    const texts = new Map(
      rows<{ digest: string; json: string }>(place, 'SELECT digest, json FROM definitions').map((row) => [
        row.digest,
        row.json,
      ]),
    );
    for (const [, definition] of shown)
      if (definition !== undefined) expect(texts.has(digestOf(definition))).toBe(true);
    expect([...texts].every(([digest, text]) => createHash('sha256').update(text).digest('hex') === digest)).toBe(true);
    expect(JSON.parse(texts.get(whole(TOOLS[0] ?? {})) ?? '')._meta).toEqual({ secret: 1 });
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
};
