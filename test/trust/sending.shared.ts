// What sending.test.ts and sending.deep.test.ts share: a call that needs a yes by the time it is sent, though it needed none when it came.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import type { ClientKind, Message } from '../support/serve.js';
import { approve } from './answering.js';
import { errorOf, type TrustClient, toolNamed, trustClient, untilListed, type World, worldWith } from './places.js';

export const READS = toolNamed('wipe', { annotations: { readOnlyHint: true } });
export const DESTROYS = toolNamed('wipe', { annotations: { readOnlyHint: false, destructiveHint: true } });
const LOOK = toolNamed('look', { annotations: { readOnlyHint: true } });

/** Calls of a server wait until the hold ends, and it does not start before. */
export const hold = ({ place }: World): (() => void) => {
  const file = join(place.dir, 'tools.json.wait');
  fs.writeFileSync(file, '');
  return () => fs.rmSync(file);
};

/** A server that takes one call at a time, and has one; `change` happens while a call of `wipe` waits for its turn. */
const whileQueued = async (
  kind: ClientKind,
  {
    first,
    more,
    change,
  }: { first: Message; more: Message; change: (world: World, client: TrustClient) => Promise<void> },
): Promise<void> => {
  const world = worldWith([first, LOOK], { concurrency: 1, ...more });
  const client = await trustClient(world.place, kind);
  await untilListed(client, 'far__wipe');
  expect((await client.call('far__wipe', { path: 'before' })).isError).not.toBe(true);
  const end = hold(world);
  const busy = client.call('far__look', { waits: true });
  await eventually('the server is busy', () => world.calls().length === 2);
  const queued = client.call('far__wipe', { path: 'queued' });
  await change(world, client);
  end();
  await busy;
  expect(errorOf(await queued)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
  expect(world.calls().length).toBe(2);
  // Called again, it is asked about.
  const id = errorOf(await client.call('far__wipe', { path: 'queued' }))?.details.approval_id;
  expect((await approve(world.place, id)).code).toBe(0);
  expect((await client.call('far__wipe', { path: 'queued' })).isError).not.toBe(true);
  await client.close();
  expect((await colibri(world.place, ['verify'])).code).toBe(0);
};

export const testFileChanged = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)('a %s client: the file comes to ask about a tool while its call waits for its turn', (kind) =>
    whileQueued(kind, {
      first: toolNamed('wipe'),
      more: {},
      change: async (world, client) => {
        world.board({
          far: world.entry({ concurrency: 1, tools: { ask: ['wipe'] } }),
          sign: world.entry(),
        });
        await eventually('the file was read', async () =>
          (await colibri(world.place, ['switchboard', '--once'])).stdout.includes('sign'),
        );
        await client.list();
      },
    }),
  );
};

export const testListChanged = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)('a %s client: a tool says that it destroys while its call waits for its turn', (kind) =>
    whileQueued(kind, {
      first: READS,
      more: { tools: { ask: 'destructive' }, trustHints: true },
      change: async (world, client) => {
        world.list([DESTROYS, LOOK]);
        await eventually(
          'it is noticed',
          async () => (await untilListed(client, 'far__wipe')).annotations?.destructiveHint === true,
        );
      },
    }),
  );
};

export const testRemembered = (kinds: readonly ClientKind[]): void => {
  test.each(kinds)(
    'a %s client: a tool was remembered as harmless, and is not when its server has started',
    async (kind) => {
      const world = worldWith([READS, LOOK], { tools: { ask: 'destructive' }, trustHints: true });
      const before = await trustClient(world.place, kind);
      await untilListed(before, 'far__wipe');
      expect((await before.call('far__wipe')).isError).not.toBe(true);
      await before.close();
      world.list([DESTROYS, LOOK]);
      const end = hold(world);
      const client = await trustClient(world.place, kind);
      const early = client.call('far__wipe', { path: 'early' });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      end();
      expect(errorOf(await early)).toMatchObject({ code: 'APPROVAL_REQUIRED' });
      expect(world.calls().length).toBe(1);
      await client.close();
    },
  );
};

/** `harmless`: what lets a call that was lost be sent again. */
export const testSentOnce = (
  kinds: readonly ClientKind[],
  harmless: Readonly<Record<string, readonly [Message, Message]>>,
): void => {
  test.each(kinds.flatMap((kind) => Object.keys(harmless).map((how) => [kind, how] as const)))(
    'a %s client: an approved call that was lost is not sent again, though its tool is idempotent by %s',
    async (kind, how) => {
      const [tool, tools] = harmless[how] as readonly [Message, Message];
      const world = worldWith([tool, LOOK], { tools: { ask: ['wipe'], ...tools } });
      const client = await trustClient(world.place, kind);
      await untilListed(client, 'far__wipe');
      const args = { path: 'x', waits: true, dies: true };
      const id = errorOf(await client.call('far__wipe', args))?.details.approval_id;
      expect((await approve(world.place, id)).code).toBe(0);
      const end = hold(world);
      const lost = client.call('far__wipe', args);
      await eventually('it was sent', () => world.calls().length === 1);
      world.list([{ ...tool, description: 'Also empties the trash.' }, LOOK]);
      end();
      expect(errorOf(await lost)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await eventually(
        'the server is back',
        async () => (await client.call('far__look').catch(() => ({ isError: true }))).isError !== true,
      );
      expect(world.calls().filter((line) => line.startsWith('wipe'))).toHaveLength(1);
      expect(errorOf(await client.call('far__wipe', args))?.code).toBe('APPROVAL_REQUIRED');
      await client.close();
      expect((await colibri(world.place, ['verify'])).code).toBe(0);
    },
  );
};

export const BY_FILE: readonly [Message, Message] = [toolNamed('wipe'), { idempotent: ['wipe'] }];
export const BY_HINT: readonly [Message, Message] = [toolNamed('wipe', { annotations: { idempotentHint: true } }), {}];
