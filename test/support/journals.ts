// Ledgers with an intent journal, in a temporary folder, and processes that die: their journal and the file of their lock stay, and the lock is free.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { type CallLedgerOptions, createCallLedger } from '../../src/ledger/calls/call-ledger.js';
import type { InstancePlace } from '../../src/ledger/calls/instances.js';
import { IntentJournal } from '../../src/ledger/calls/journal.js';
import type { JournalPlace } from '../../src/ledger/calls/journal-folder.js';
import { readJournal } from '../../src/ledger/calls/journal-format.js';
import type { Ending, Intent } from '../../src/ledger/calls/pair.js';
import type { Store } from '../../src/store/store.js';
import { callLedgerParts, now, openLedger, temporaryFolder } from './stores.js';

export const intentOf = (call: string, args: unknown = {}): Intent => ({
  at: now(),
  call,
  tool: 'server_ping',
  client: null,
  args,
});
export const endingOf = (call: string): Ending => ({
  kind: 'call.exit',
  at: now(),
  call,
  tool: 'server_ping',
  outcome: 'ok',
});

export interface JournaledOptions extends Partial<Pick<CallLedgerOptions, 'traffic' | 'nowMs'>> {
  readonly dir?: string;
  readonly node?: string;
  readonly machineBoot?: string;
  readonly isSynced?: boolean;
  /** Puts something between the ledger and its store. */
  readonly wrap?: (store: Store) => Store;
  readonly wrapJournal?: (journal: IntentJournal) => IntentJournal;
}

export const BOOT = 'this-boot';

/** A process with a journal. */
export const openJournaled = async (options: JournaledOptions = {}) => {
  const { dir = temporaryFolder(), machineBoot = BOOT, isSynced = false, node, wrap, wrapJournal, ...parts } = options;
  const { store: plain, ledger: bare, records } = await openLedger(dir, undefined, node);
  const { log, instance } = bare;
  const folder = join(dir, 'colibri.db.journal');
  fs.mkdirSync(folder, { recursive: true });
  const path = join(folder, instance);
  const made = new IntentJournal({
    path,
    owner: { log: log.id, instance, machineBoot },
    mac: log.journalMac,
    isSynced,
  });
  const journal = wrapJournal?.(made) ?? made;
  const store = wrap?.(plain) ?? plain;
  const ledger = createCallLedger({ ...callLedgerParts, ...parts, store, log, instance, journal });
  const place: InstancePlace = { store: plain, log, now };
  const journals: JournalPlace = { folder, machineBoot: BOOT };
  const lock = join(dir, 'colibri.db.instances', instance);
  return {
    ...{ dir, store, ledger, journal, records, instance, path, lock, place, journals },
    /** The calls whose intents a later process would find in the journal. */
    left: (): string[] =>
      (readJournal(fs.readFileSync(path), () => log.journalMac)?.frames ?? [])
        .flatMap(({ lines }) => lines)
        .map((line) => (JSON.parse(line.split('\t')[0] ?? '') as { call: string }).call),
    /** The calls in the ledger, as `kind call`, in order. */
    calls: async (): Promise<string[]> =>
      (await records()).filter((record) => 'call' in record).map(({ kind, call }) => `${kind} ${call}`),
    die: async (): Promise<void> => {
      await plain.close();
      fs.writeFileSync(lock, '');
    },
  };
};
