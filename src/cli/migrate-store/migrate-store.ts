// The command `colibri migrate-store`: copies a store to another engine, proves that nothing was lost, and ends the original.
import { Command, Option } from 'commander';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { ColibriError } from '../../errors.js';
import { movedTo } from '../../ledger/binding.js';
import { storeIdOf } from '../../ledger/identity.js';
import {
  adoptedFrom,
  adoptLogs,
  areAlike,
  type MovedStore,
  movedStoreOf,
  recordDeparture,
} from '../../ledger/team/move.js';
import { openStoreAt } from '../../start/phase2.js';
import { sourceAt } from '../../start/store-source.js';
import type { Store } from '../../store/store.js';
import { verifyStore } from '../../verify/verify.js';
import { assertMayWrite, assertThere, ownLog, writingStore } from '../access.js';
import { confirmed } from '../confirm.js';
import { logOptions, type PlaceOptions, type StoreAt, withPlace } from '../place.js';
import { processesOf } from '../processes.js';
import { running } from '../run.js';
import { sayAnswer, tell } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { signFirst, signLog } from '../signing.js';
import { copyStore, movedTables } from './copy.js';
import { placesOfMove, type StoreMove } from './places.js';
import { hasIdentity } from './repository.js';

const AFTER = `
Copies a whole store: from a file to PostgreSQL, or back. The target must be
empty, and nobody may use the store meanwhile. The target gets an id and a log
of its own, whose first record names every log that came with the store, its
size and its root; equal roots show that nothing was lost. The original stays as
it is, but for one last record that says where it went; nothing more is recorded
in it. If the command is killed, run it again: it goes on.

  colibri migrate-store --to postgres
                                   the store of this project (or --db <file>),
                                   to the database of COLIBRI_DATABASE_URL
  colibri migrate-store --to team.db
                                   from that database into a file

Exit codes: 0 moved; 1 not moved, and the original was not changed.`;

interface MoveOptions extends PlaceOptions {
  readonly to: string;
  readonly yes?: true;
}

const busy = (pids: readonly number[]): ColibriError =>
  new ColibriError(
    'STORE_BUSY',
    `The store is in use by ${count(pids.length, 'process', 'processes')}: ${pids.join(', ')}.`,
    {
      remedy: 'Close the clients that use it, then move it.',
    },
  );

const assertIdle = async (store: Store): Promise<void> => {
  const { alive } = await processesOf(store);
  if (alive.length > 0) throw busy(alive.map(({ pid }) => pid));
};

const notEmpty = (at: StoreAt): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `There is a store at ${sourceAt(at).path} already.`, {
    remedy: 'Move into an empty database, or into a file that does not exist.',
  });

/** Whether the target holds all of this store already: then a run was killed after the copy, and only the end of the original is missing. */
const hasAll = async (target: Store, { storeId, logs }: MovedStore, at: StoreAt): Promise<boolean> => {
  if (!(await target.read(hasIdentity))) return false;
  const adopted = await target.read((tx) => adoptedFrom(tx, storeId));
  if (adopted === undefined || !areAlike(adopted, logs)) throw notEmpty(at);
  return true;
};

/** Checks the copied store record by record, and returns what the verdict is. */
const checked = async (at: StoreAt): Promise<number> => {
  const progress = progressOn(process.stderr, 'verifying the copy');
  try {
    const keys = { dir: at.keysDir, ...(at.keyFile !== undefined && { file: at.keyFile }) };
    const place = { ...sourceAt(at), headsDir: at.headsDir, host: at.site.host, keys };
    const verdict = await verifyStore({ ...place, scope: { kind: 'store' }, onProgress: progress.update });
    if (verdict.exit === 0 || verdict.exit === 10) return verdict.exit;
    const [first] = verdict.findings;
    throw new ColibriError('STORE_CORRUPT', `The copy does not verify: ${first?.message ?? 'it cannot be read'}`, {
      remedy: 'Verify the original with `colibri verify`. It was not changed.',
    });
  } finally {
    progress.end();
  }
};

interface Moved {
  readonly rows: number;
  readonly store: string;
  readonly log: string;
}

const copied = async (source: Store, target: Store, at: StoreAt, original: MovedStore): Promise<Moved> => {
  const progress = progressOn(process.stderr, 'copying');
  try {
    await target.migrate(async () => {});
    const isWhole = await hasAll(target, original, at);
    const isOnServer = at.engine === 'postgres';
    const tables = await movedTables(isOnServer ? source : target);
    const rows = isWhole ? 0 : await copyStore({ source, target, tables, isOnServer, onProgress: progress.update });
    if (!isWhole) await adoptLogs(logOptions(at, target), original);
    const log = await target.read((tx) => ownLog(tx, at));
    await signLog(at, target, log);
    return { rows, log, store: await target.read(storeIdOf) };
  } finally {
    progress.end();
  }
};

/** Writes the last record of the original, and signs it. */
const depart = (source: StoreAt, target: StoreAt, to: string, { logs }: MovedStore): Promise<unknown> =>
  writingStore(source, async (store) => {
    await assertIdle(store);
    const log = await store.read((tx) => ownLog(tx, source));
    const place = sourceAt(target).path;
    await store.write((tx) => recordDeparture(tx, source.keys, { log, to, place, at: isoClock()() }, logs), {
      sync: true,
    });
    return signLog(source, store, log);
  });

const move = async ({ source, target }: StoreMove) => {
  const open = (at: StoreAt, readOnly: boolean): Promise<Store> =>
    openStoreAt(at, {
      readOnly,
      durability: at.config.durability,
      logger: { warn: (text) => tell(`colibri: ${text}`) },
    });
  const from = await open(source, true);
  try {
    await from.migrate(async () => {});
    const gone = await from.read(movedTo);
    if (gone !== undefined)
      throw new ColibriError('STORE_UNAVAILABLE', `This store was moved to ${gone.place} already.`, {
        remedy: 'Use it there.',
      });
    await assertIdle(from);
    const original = await from.read(movedStoreOf);
    const to = await open(target, false);
    const moved = await copied(from, to, target, original).finally(() => to.close());
    const verdict = await checked(target);
    await depart(source, target, moved.store, original);
    const records = original.logs.reduce((sum, { size }) => sum + size, 0);
    return { ...moved, records, logs: original.logs, verdict };
  } finally {
    await from.close();
  }
};

const act = async ({ to, yes, ...options }: MoveOptions): Promise<number> => {
  const places = placesOfMove(options, to);
  const { source, target } = places;
  for (const at of [source, target]) assertMayWrite(at);
  assertThere(source);
  const [here, there] = [sourceAt(source).path, sourceAt(target).path];
  const question = `Move ${here} to ${there}? Nothing more will be recorded in the original.`;
  if (yes !== true && !(await confirmed(question))) {
    tell('Nothing was moved.');
    return EXIT_FAILED;
  }
  await signFirst(source);
  const answer = await move(places);
  sayAnswer(options.json, { from: here, to: there, engine: target.engine, ...answer }, () => [
    `${count(answer.records, 'record')} of ${count(answer.logs.length, 'log')} moved to ${there}; all roots are equal.`,
    ...answer.logs.map(({ log, size, root }) => `  ${log}  ${size}  ${root}`),
    `Its own log there is ${answer.log}. colibri verify says ${answer.verdict}.`,
    target.engine === 'postgres'
      ? 'Set COLIBRI_DATABASE_URL (or _FILE) for every client, then restart them.'
      : `Unset COLIBRI_DATABASE_URL and set COLIBRI_DB_PATH=${there} for every client, then restart them.`,
  ]);
  return 0;
};

export const migrateStoreCommand = (): Command =>
  withPlace(new Command('migrate-store'))
    .description('move a store to PostgreSQL, or from there into a file')
    .addOption(new Option('--to <target>', '`postgres`, or the file that is made').makeOptionMandatory())
    .option('--yes', 'do not ask')
    .addHelpText('after', AFTER)
    .action(running(act));
