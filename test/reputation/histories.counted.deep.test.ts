// Random histories of agents, tasks and servers: what every tool of reputation says follows from the export, for today and for later days.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { type Random, randomFrom } from '../support/random.js';
import { type AnyClient, type ClientKind, connect, freshPlace, type Message } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { epochIn } from './recompute.js';
import { call, expectRecomputed, exported, SETS, toDone } from './shared.js';

const { count, seed, progress } = counted('histories of reputation', 200);
const KINDS: readonly ClientKind[] = ['v1', 'v2 legacy', 'v2 modern'];
const NAMES = ['ada', 'bob', 'cyd', 'server:plain', 'client-v1'];

interface Held {
  readonly task_id: string;
  readonly lease_token: number;
}

/** One random step; refused ones are fine. */
const step = async (client: AnyClient, random: Random, held: Held[]): Promise<void> => {
  const one = held.length > 0 ? random.pick(held) : undefined;
  switch (random.int(8)) {
    case 0:
      return void (await call(client, 'task_create', { title: 'x' }));
    case 1:
    case 2: {
      const { actions = [] } = await call(client, 'task_next_actions', {
        claim_by: random.pick(NAMES),
        another: random.chance(0.5),
      });
      for (const { task, lease_token } of actions as Message[]) held.push({ task_id: task.task_id, lease_token });
      return;
    }
    case 3:
      return void (one && (await call(client, 'task_update', { task_id: one.task_id, ...toDone(one.lease_token) })));
    case 4:
      return void (
        one &&
        (await call(client, 'task_update', { ...one, release: true, ...(random.chance(0.7) && { note: 'here' }) }))
      );
    case 5:
      return void (one && (await call(client, 'task_update', { ...one, status: 'CANCELLED' })));
    case 6: {
      const steps = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'GATHER'].map((status) => ({ status, note: 'n' }));
      return void (
        one && (await call(client, 'task_update', { ...one, steps: steps.slice(0, random.chance(0.5) ? 1 : 6) }))
      );
    }
    default:
      return void (await client.callTool(random.pick(['plain__echo', 'plain__fail']), {}).catch(() => {}));
  }
};

it('histories', { timeout: 0 }, async () => {
  for (let n = 0; n < count; n += 1) {
    const random = randomFrom(seed + n);
    const place = freshPlace();
    writeBoard(place, { plain: fakeServer('plain') });
    const client = await connect(place, random.pick(KINDS), SETS);
    const held: Held[] = [];
    for (let i = 0; i < 25; i += 1) await step(client, random, held);
    await sleep(1);
    const events = await exported(place);
    const today = epochIn(new Date().toISOString());
    await expectRecomputed(client, events, today + random.int(700));
    await client.close();
    expect(json(await colibri(place, ['verify', '--json'])), `seed ${seed + n}`).toMatchObject({ exit: 0 });
    progress(n + 1);
  }
});
