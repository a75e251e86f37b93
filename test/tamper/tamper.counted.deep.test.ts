// Whatever is changed in a store by anybody, verification says so: rows, schema, bytes, cuts, older copies, drawn at random
// from a seed. What is not detected is kept beside the report.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { type Changed, changeAtRandom, type Original } from './changes.js';
import { lookAt } from './dump.js';
import { type MadeStore, makeStore } from './store-life.js';
import { reasonOf, verdictOf } from './verdicts.js';

const CHANGES = counted('random changes', 10_000);

/** A store serves for so many changes, then there is a new one. */
const PER_STORE = 1000;

/** Three logs, two with enough records for stored nodes; processes side by side, one killed; erased contents, pruned arguments. */
const richStore = (seed: number): Promise<MadeStore> =>
  makeStore(seed, [
    { processes: 2, calls: 80 },
    'the key is lost',
    { processes: 3, calls: 60, killed: 1 },
    { processes: 2, calls: 20 },
    'a backup is put back',
    { processes: 1, calls: 30 },
    'contents are erased',
    'arguments are pruned',
    { processes: 1, calls: 10 },
  ]);

/** A process that was killed may have left one that is not whole, under another name. */
const sizesIn = (folder: string): readonly number[] =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** The newest head of each log, as far as heads are kept. */
const signedHeads = ({ headsDir }: MadeStore): ReadonlyMap<string, number> =>
  new Map(readdirSync(headsDir).map((log) => [log, Math.max(...sizesIn(join(headsDir, log)))]));

const faultOf = async (store: MadeStore, path: string, { mayBeUnreadable }: Changed): Promise<string | undefined> => {
  try {
    const verdict = await verdictOf(path, store);
    const isDetected = verdict.exit === 20 || (verdict.exit === 30 && mayBeUnreadable);
    return isDetected ? undefined : reasonOf(verdict);
  } catch (thrown) {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  }
};

/** Everything that is needed to look at it again. */
const keep = ({ path, headsDir }: MadeStore, changed: string, seed: number): string => {
  const folder = join(tmpdir(), `colibri-undetected-${seed}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(changed, join(folder, 'changed.db'));
  copyFileSync(path, join(folder, 'original.db'));
  cpSync(headsDir, join(folder, 'heads'), { recursive: true });
  return folder;
};

interface Findings {
  readonly kinds: Map<string, number>;
  readonly undetected: string[];
}

const changeMany = async (store: MadeStore, seeds: readonly number[], findings: Findings): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'colibri-tamper-'));
  const path = join(dir, 'changed.db');
  const original: Original = {
    from: store.path,
    path,
    look: lookAt(store.path),
    older: store.older,
    signed: signedHeads(store),
  };
  for (const seed of seeds) {
    const changed = changeAtRandom(original, seed);
    findings.kinds.set(changed.kind, (findings.kinds.get(changed.kind) ?? 0) + 1);
    const fault = await faultOf(store, path, changed);
    if (fault !== undefined) {
      const kept = keep(store, path, seed);
      findings.undetected.push(`seed ${seed}, ${changed.kind}: ${changed.what}\n  ${fault}\n  kept as ${kept}`);
      process.stderr.write(`undetected: ${findings.undetected.at(-1)}\n`);
    }
    CHANGES.progress(seed - CHANGES.seed + 1);
  }
  rmSync(dir, { recursive: true, force: true });
};

const TIMEOUT_MS = 60_000 + CHANGES.count * 2_000;

test(`${CHANGES.count} random changes, each one detected`, { timeout: TIMEOUT_MS }, async () => {
  const findings: Findings = { kinds: new Map(), undetected: [] };
  for (let done = 0; done < CHANGES.count; done += PER_STORE) {
    const store = await richStore(CHANGES.seed + done);
    try {
      const verdict = await verdictOf(store.path, store);
      expect([0, 10], reasonOf(verdict)).toContain(verdict.exit);
      const count = Math.min(PER_STORE, CHANGES.count - done);
      await changeMany(
        store,
        Array.from({ length: count }, (_, i) => CHANGES.seed + done + i),
        findings,
      );
    } finally {
      await store.remove();
    }
  }
  process.stderr.write(`${JSON.stringify(Object.fromEntries(findings.kinds))}\n`);
  expect(findings.undetected).toEqual([]);
});
