// Random histories of three stores that work and exchange bundles: every order and repetition ends with equal sets.
import { expect, it } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { randomFrom } from '../support/random.js';
import { connect, freshPlace } from '../support/serve.js';
import { CONSENSUS } from './shared.js';
import { gossipHistory } from './stores.js';

const HISTORIES_PER_STORE = 5;
const { count, seed, progress } = counted('histories of three stores', 200);

it('equal sets after every history', { timeout: 120_000 + count * 30_000 }, async () => {
  for (let done = 0; done < count; ) {
    const places = [freshPlace(), freshPlace(), freshPlace()];
    const clients = await Promise.all(places.map((place) => connect(place, 'v2 modern', CONSENSUS)));
    for (let n = 0; n < HISTORIES_PER_STORE && done < count; n += 1) {
      done += 1;
      await gossipHistory(clients, randomFrom(seed + done), 10 + ((seed + done) % 40));
      progress(done);
    }
    for (const client of clients) await client.close();
    for (const place of places)
      expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 0, findings: [] });
  }
});
