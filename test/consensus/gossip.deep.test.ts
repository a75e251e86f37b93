// Bundles between stores: decisions travel, double votes and forks are found, changed bundles are refused, others sign beside.
import { generateKeyPairSync } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { randomFrom } from '../support/random.js';
import { type AnyClient, connect, freshPlace, type Place } from '../support/serve.js';
import { CONSENSUS, eventsOf, finality, propose, setOf, untilFinality, vote } from './shared.js';
import { gossipHistory, tell } from './stores.js';

const stores = (count: number): Promise<{ place: Place; client: AnyClient }[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const place = freshPlace();
      return { place, client: await connect(place, 'v2 modern', CONSENSUS) };
    }),
  );

const verified = async (place: Place): Promise<void> =>
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 0, findings: [] });

it('three stores: any order of bundles ends with equal sets; verify says 0', async () => {
  const all = await stores(3);
  const clients = all.map(({ client }) => client);
  await gossipHistory(clients, randomFrom(7), 25);
  for (const client of clients) await client.close();
  for (const { place } of all) await verified(place);
});

it('a machine that is put back to a snapshot and goes on: the fork is found', async () => {
  const [home, away] = await stores(2);
  if (home === undefined || away === undefined) throw new Error('no stores');
  await propose(home.client, { statement: 'before' });
  await home.client.close();
  const snapshot = join(home.place.dir, 'snapshot');
  const parts = [dirname(home.place.db), join(home.place.home, 'state')];
  for (const [i, part] of parts.entries()) fs.cpSync(part, join(snapshot, String(i)), { recursive: true });
  const decide = async (times: number): Promise<AnyClient> => {
    const client = await connect(home.place, 'v2 modern', CONSENSUS);
    for (let n = 0; n < times; n += 1) {
      const { round_id } = await propose(client, { statement: `after ${times} ${n}`, need: 1 });
      await vote(client, round_id, 'ada');
      await untilFinality(client, round_id, ({ level }) => level === 'HARD');
      await tell(away.client, (await tell(client)).bundle);
    }
    return client;
  };
  const first = await decide(1);
  expect((await tell(away.client)).forks).toEqual([]);
  await first.close();
  for (const [i, part] of parts.entries()) {
    fs.rmSync(part, { recursive: true });
    fs.cpSync(join(snapshot, String(i)), part, { recursive: true });
  }
  // The other history is longer, so the log can say what it had at the size that was told before.
  const again = await decide(4);
  const heard = await tell(again, (await tell(away.client)).bundle);
  expect(heard.forks).not.toEqual([]);
  expect((await tell(away.client, heard.bundle)).forks).toEqual(heard.forks);
  await again.close();
  await away.client.close();
  await verified(away.place);
});

it('a witness signs beside: ABSOLUTE', async () => {
  const [home] = await stores(1);
  if (home === undefined) throw new Error('no store');
  const away = freshPlace();
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
  const file = join(away.dir, 'witness.key');
  fs.writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await home.client.close();
  const watched = await connect(home.place, 'v2 modern', { ...CONSENSUS, COLIBRI_WITNESSES: key });
  const witness = await connect(away, 'v2 modern', { ...CONSENSUS, COLIBRI_VOTER_KEY: file });
  const { round_id } = await propose(watched, { statement: 'x', need: 1 });
  await vote(watched, round_id, 'ada');
  await untilFinality(watched, round_id, ({ level }) => level === 'HARD');
  await tell(witness, (await tell(watched)).bundle);
  await tell(watched, (await tell(witness)).bundle);
  expect(await finality(watched, round_id)).toMatchObject({ level: 'ABSOLUTE', evidence: { cosigned_by: key } });
  expect(setOf((await tell(watched)).bundle).filter((one) => one.startsWith('cosigned'))).toHaveLength(1);
  expect(eventsOf((await tell(watched)).bundle).length).toBeGreaterThan(3);
  await watched.close();
  await witness.close();
  await verified(home.place);
});
