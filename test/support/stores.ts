// Stores and logs for tests: real SQLite files in a temporary folder that goes with the test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { monotonicMs } from '../../src/core/clock.js';
import { type CallLedger, createCallLedger } from '../../src/ledger/calls/call-ledger.js';
import { recordBoot } from '../../src/ledger/calls/instances.js';
import { headsIn } from '../../src/ledger/heads.js';
import { keyRing } from '../../src/ledger/keys.js';
import { openLog } from '../../src/ledger/open.js';
import type { BootRecord } from '../../src/proof/records.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import type { Store } from '../../src/store/store.js';

export const temporaryFolder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'colibri-unit-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const openStore = async (dir = temporaryFolder()): Promise<Store> => {
  const store = await openSqliteStore({ path: join(dir, 'colibri.db'), checkAwaits: true });
  onTestFinished(() => store.close());
  return store;
};

export const now = (): string => '2026-11-15T18:30:00.123Z';

export const boot = (instance: string): BootRecord => ({
  kind: 'boot',
  instance,
  node: 'host/user',
  pid: 1,
  os_user: 'user',
  version: '0',
  mode: 'FULL',
  project: null,
  machine_boot: null,
  config_digest: '0'.repeat(64),
});

export interface OpenLedger {
  readonly store: Store;
  readonly ledger: CallLedger;
  readonly records: () => Promise<Record<string, unknown>[]>;
}

/** What a ledger in a test needs besides its place. */
export const callLedgerParts = {
  payloads: 'stored',
  traffic: { size: 1, isAlone: true },
  nowMs: monotonicMs,
  onGrown: () => {},
} as const;

/** A ledger of which some methods are replaced. */
export const ledgerWith = (ledger: CallLedger, replaced: Partial<CallLedger>): CallLedger =>
  new Proxy(ledger, {
    get: (target, key) => {
      if (key in replaced) return replaced[key as keyof CallLedger];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** A store with one booted instance in its log; each node has a log of its own. */
export const openLedger = async (
  dir = temporaryFolder(),
  instance = crypto.randomUUID(),
  node = 'host/user',
): Promise<OpenLedger> => {
  const store = await openStore(dir);
  const keys = keyRing({ dir: join(dir, 'keys') });
  const heads = headsIn(join(dir, 'heads'));
  await store.instances.hold(instance);
  const log = await openLog({ store, keys, heads, node, now }, (tx, opened) =>
    recordBoot(tx, opened, now(), { ...boot(instance), node }),
  );
  const ledger = createCallLedger({ ...callLedgerParts, store, log, instance });
  return { store, ledger, records: () => recordsOf(store) };
};

export const recordsOf = async (store: Store): Promise<Record<string, unknown>[]> => {
  const rows = await store.read((tx) => tx.all<{ body: string }>('SELECT body FROM actions ORDER BY log_id, seq'));
  return rows.map((row) => JSON.parse(row.body) as Record<string, unknown>);
};
