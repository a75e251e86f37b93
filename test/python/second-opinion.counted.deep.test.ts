// A verifier in another language, written from docs/audit-format.md alone, agrees with ours on stores that nobody touched. It has no keys,
// so ours gets none either.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { onHost } from '../ledger2/stores.js';
import { counted } from '../support/counted.js';
import { type Event, makeStore, type Round } from '../tamper/store-life.js';
import { reasonOf, verdictOf } from '../tamper/verdicts.js';

const STORES = counted('stores for the second opinion', 50);
const VERIFIER = fileURLToPath(new URL('verify.py', import.meta.url));
const isCi = !['', 'false', undefined].includes(process.env.CI);
const hasPython = spawnSync('python3', ['--version']).status === 0;

const LIVES: readonly (readonly (Round | Event)[])[] = [
  [{ processes: 2, calls: 30, killed: 1 }],
  [{ processes: 2, calls: 30 }, 'the key is lost', { processes: 1, calls: 20 }],
  [
    { processes: 2, calls: 30 },
    { processes: 1, calls: 20, ...onHost('elsewhere') },
    { processes: 1, calls: 5 },
  ],
  [{ processes: 2, calls: 40 }, 'contents are erased', 'arguments are pruned', { processes: 1, calls: 5 }],
  [{ processes: 2, calls: 40 }, { processes: 1, calls: 10 }, 'a backup is put back', { processes: 1, calls: 5 }],
];

const secondOpinion = (path: string, headsDir: string) => {
  const { status, stdout, stderr } = spawnSync('python3', [VERIFIER, path, '--heads', headsDir, '--json']);
  return { exit: status, said: `${stdout}${stderr}` };
};

const TIMEOUT_MS = 60_000 + STORES.count * 30_000;

test.skipIf(!hasPython && !isCi)(`agrees on ${STORES.count} healthy stores`, { timeout: TIMEOUT_MS }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'colibri-second-'));
  for (let i = 0; i < STORES.count; i++) {
    const store = await makeStore(STORES.seed + i, LIVES[(STORES.seed + i) % LIVES.length] ?? []);
    try {
      const ours = await verdictOf(store.path, { headsDir: store.headsDir, keysDir: join(dir, 'none') });
      expect([0, 10], reasonOf(ours)).toContain(ours.exit);
      // Reading a database in WAL mode writes beside it.
      cpSync(store.path, join(dir, 'colibri.db'));
      const { exit, said } = secondOpinion(join(dir, 'colibri.db'), store.headsDir);
      expect(exit, `${reasonOf(ours)}\n${said}`).toBe(ours.exit);
    } finally {
      await store.remove();
    }
    STORES.progress(i + 1);
  }
  rmSync(dir, { recursive: true, force: true });
});
