// A store in a folder, with its keys and its heads beside it, as processes leave it that sign what they wrote.
import { join } from 'node:path';
import { createCallLedger } from '../../src/ledger/calls/call-ledger.js';
import { endInstance, recordBoot } from '../../src/ledger/calls/instances.js';
import { headsIn } from '../../src/ledger/heads.js';
import { keyRing } from '../../src/ledger/keys.js';
import { openLog } from '../../src/ledger/open.js';
import { createSigner } from '../../src/ledger/signer.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { boot, callLedgerParts, now } from '../support/stores.js';

/** One process: its calls, those given and one with a known id, and perhaps its end. */
export const serveOnce = async (
  dir: string,
  instance: string,
  isEnding: boolean,
  calls: readonly string[],
): Promise<void> => {
  const store = await openSqliteStore({ path: join(dir, 'colibri.db') });
  const [keys, heads] = [keyRing({ dir: join(dir, 'keys') }), headsIn(join(dir, 'heads'))];
  await store.instances.hold(instance);
  const log = await openLog({ store, keys, heads, node: 'host/user', now }, (tx, opened) =>
    recordBoot(tx, opened, now(), boot(instance)),
  );
  const ledger = createCallLedger({ ...callLedgerParts, store, log, instance });
  for (const call of calls) {
    const no = await ledger.enter({ at: now(), call, tool: 't', client: null, args: { a: 1 } });
    await ledger.exit(no, { kind: 'call.exit', at: now(), call, tool: 't', outcome: 'ok' });
  }
  if (isEnding) await endInstance({ store, log, now }, { instance, reason: 'test', drained: 0, abandoned: 0 }, false);
  const warn = (why: unknown): never => {
    throw new Error(String(why));
  };
  await createSigner({ store, log: log.id, keys, heads, warn, onBroken: warn }).sign();
  await store.close();
};
