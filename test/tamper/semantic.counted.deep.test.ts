// Well-formed lies without the key, drawn at random from a seed: tails, grafts, logs removed and renumbered, rows of other places, derived
// columns. None ends as if nothing had happened, with the key or without it.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Verdict } from '../../src/verify/verdict/verdict.js';
import { onHost } from '../ledger2/stores.js';
import { counted } from '../support/counted.js';
import { randomFrom } from '../support/random.js';
import { forgeAtRandom } from './semantic-forgeries.js';
import { type Event, type MadeStore, makeStore, type Round } from './store-life.js';
import { reasonOf, verdictOf } from './verdicts.js';

const FORGERIES = counted('semantic forgeries', 2_000);
const PER_STORE = 500;

/** Three logs: two machines at the same time, and one whose key was lost. */
const lifeOf = (calls: number): (Round | Event)[] => [
  { processes: 2, calls },
  { processes: 2, calls, ...onHost('elsewhere') },
  'the key is lost',
  { processes: 1, calls, killed: 1 },
  { processes: 1, calls, ...onHost('elsewhere') },
  { processes: 1, calls: 5 },
];

const withoutKey = (store: MadeStore, path: string): Promise<Verdict> =>
  verdictOf(path, { ...store, keysDir: join(store.path, 'nowhere') });

/** What a verdict without the key says beyond what it says about the untouched store. */
const isTold = (healthy: Verdict, verdict: Verdict): boolean =>
  verdict.exit === 20 || verdict.missing.length > healthy.missing.length;

const keep = (changed: string, original: string, seed: number): string => {
  const folder = join(tmpdir(), `colibri-believed-${seed}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(changed, join(folder, 'changed.db'));
  copyFileSync(original, join(folder, 'original.db'));
  return folder;
};

test(`${FORGERIES.count} well-formed forgeries, none believed`, {
  timeout: 120_000 + FORGERIES.count * 5_000,
}, async () => {
  const believed: string[] = [];
  const kinds = new Map<string, number>();
  const dir = mkdtempSync(join(tmpdir(), 'colibri-semantic-'));
  const path = join(dir, 'changed.db');
  for (let done = 0; done < FORGERIES.count; done += PER_STORE) {
    const [store, other] = [
      await makeStore(FORGERIES.seed + done, lifeOf(40)),
      await makeStore(FORGERIES.seed + done + 1, lifeOf(15)),
    ];
    try {
      const healthy = await verdictOf(store.path, store);
      const unkeyed = await withoutKey(store, store.path);
      for (const verdict of [healthy, unkeyed]) expect([0, 10], reasonOf(verdict)).toContain(verdict.exit);
      for (let i = done; i < Math.min(done + PER_STORE, FORGERIES.count); i++) {
        copyFileSync(store.path, path);
        const { kind, what } = forgeAtRandom(path, other.path, randomFrom(FORGERIES.seed + i));
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        const [keyed, bare] = [await verdictOf(path, store), await withoutKey(store, path)];
        if (keyed.exit !== 20 || !isTold(unkeyed, bare)) {
          const kept = keep(path, store.path, FORGERIES.seed + i);
          believed.push(`${kind}: ${what}\n  key: ${reasonOf(keyed)}\n  no key: ${reasonOf(bare)}\n  kept as ${kept}`);
          process.stderr.write(`believed: ${believed.at(-1)}\n`);
        }
        FORGERIES.progress(i + 1);
      }
    } finally {
      for (const made of [store, other]) await made.remove();
    }
  }
  rmSync(dir, { recursive: true, force: true });
  process.stderr.write(`${JSON.stringify(Object.fromEntries(kinds))}\n`);
  expect(believed).toEqual([]);
});
