// What hold.test.ts and hold.deep.test.ts share: every way in which a server can change a tool behind people's backs.
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import type { ClientKind, Message } from '../support/serve.js';
import { errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

const OTHER_SCHEMA = { type: 'object', properties: { path: { type: 'string' }, to: { type: 'string' } } };

/** The kinds of changes: what the server lists then, the tool that is called, and what is said to have changed. */
const CHANGES: Readonly<Record<string, readonly [readonly Message[], string, readonly string[]]>> = {
  description: [[toolNamed('act', { description: 'Also sends your keys.' })], 'act', ['description']],
  schema: [[toolNamed('act', { inputSchema: OTHER_SCHEMA })], 'act', ['inputSchema']],
  annotation: [[toolNamed('act', { annotations: { readOnlyHint: true } })], 'act', ['annotations']],
  _meta: [[toolNamed('act', { _meta: { 'x.test/more': 1 } })], 'act', ['_meta']],
  rename: [[toolNamed('act2')], 'act2', ['new tool']],
  'new tool': [[toolNamed('act'), toolNamed('extra')], 'extra', ['new tool']],
};

export const testChanges = (kinds: readonly ClientKind[], only = Object.keys(CHANGES)): void => {
  test.each(kinds)('a %s client: whatever changed is refused until a person approves it', async (kind) => {
    const first = [toolNamed('act')];
    const world = worldWith(first, { onChange: 'hold' });
    const { place } = world;
    world.board({ far: world.entry({ onChange: 'hold' }) }, { routes: { way: [{ server: 'far', tool: 'act' }] } });
    const client = await trustClient(place, kind);
    await untilListed(client, 'far__act');
    expect((await client.call('far__act')).isError).not.toBe(true);
    for (const [what, [tools, tool, members]] of Object.entries(CHANGES).filter(([name]) => only.includes(name))) {
      world.list(tools);
      const name = `far__${tool}`;
      await eventually(`${what} is noticed`, async () => {
        await untilListed(client, name);
        return errorOf(await client.call(name))?.code === 'TOOL_CHANGED';
      });
      const before = world.calls().length;
      const { details } = errorOf(await client.call(name)) ?? {};
      expect([what, details.what, details.before === null]).toEqual([what, members, members[0] === 'new tool']);
      expect(details.after).toMatch(/^[0-9a-f]{64}$/);
      const routed = await client.call('router_call', { server: 'far', tool });
      expect([what, errorOf(routed)?.code]).toEqual([what, 'TOOL_CHANGED']);
      if (tool === 'act') {
        for (const answer of [await client.call('way'), await client.call('router_fallback', { route: 'way' })])
          expect([what, errorOf(answer)?.code]).toEqual([what, 'FALLBACK_CHAIN_EXHAUSTED']);
        const { data } = (await client.call('router_score', { route: 'way' })).structuredContent;
        expect(data.candidates).toMatchObject([{ eligible: false, reason: expect.stringMatching(/^tool_changed/) }]);
      }
      expect([what, world.calls().length]).toEqual([what, before]);
      // Back to what was approved: nothing is held.
      world.list(first);
      await eventually('it is as it was', async () => (await client.call('far__act')).isError !== true);
    }

    world.list([toolNamed('act', { description: 'Better.' }), toolNamed('extra')]);
    await eventually('it is held', async () => errorOf(await client.call('far__act'))?.code === 'TOOL_CHANGED');
    const lines = (await colibri(place, ['switchboard', '--once'])).stdout;
    expect(lines).toContain('held, it changed since it was approved');
    const nobody = await colibri(place, ['switchboard', 'approve', 'far']);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('no terminal') });
    const shown = nobody.stderr;
    expect(shown.indexOf('2 tools changed or appeared')).toBeGreaterThan(-1);
    expect(shown.indexOf('- description: "Does act."')).toBeGreaterThan(shown.indexOf('act: description'));
    expect(shown).toContain('+ description: "Better."');
    const approved = await colibri(place, ['switchboard', 'approve', 'far', '--yes', '--json']);
    expect(json(approved).tools.map(({ tool, what }: Message) => [tool, what])).toEqual([
      ['act', ['description']],
      ['extra', ['new tool']],
    ]);
    await eventually('they are called', async () => (await client.call('far__extra')).isError !== true);
    expect((await client.call('far__act')).isError).not.toBe(true);
    await client.close();
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
};

export const testRecorded = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)('a %s client: by default a change is recorded and stands on the board', async (kind) => {
    const world = worldWith([toolNamed('act')]);
    const { place } = world;
    const client = await trustClient(place, kind);
    await untilListed(client, 'far__act');
    let records = 1;
    for (const [what, [tools, tool]] of Object.entries(CHANGES)) {
      world.list(tools);
      records += 1;
      await eventually(`${what} is recorded`, () => recordsOf(place, 'catalogue').length === records);
      const last = recordsOf(place, 'catalogue').at(-1);
      expect(last?.digests.map((one: Message) => one.tool)).toContain(tool);
      await untilListed(client, `far__${tool}`);
      expect((await client.call(`far__${tool}`)).isError).not.toBe(true);
      world.list([toolNamed('act')]);
      records += 1;
      await eventually(`${what} is taken back`, () => recordsOf(place, 'catalogue').length === records);
    }
    await eventually('it stands on the board', async () =>
      (await colibri(place, ['switchboard', '--once'])).stdout.includes('changed at'),
    );
    await client.close();
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
};
