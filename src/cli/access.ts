// Opens the store for a command. A command never creates a store, a log or a schema: only `serve` does.
import { statSync } from 'node:fs';
import { asError, ColibriError, quietly } from '../errors.js';
import { acceptedIn, assertBound, earlierStoreText, goneFrom } from '../ledger/binding.js';
import { openLogOf } from '../ledger/open.js';
import { openStoreAt } from '../start/phase2.js';
import type { SqliteOptions } from '../store/sqlite/options.js';
import type { ReadTx, Store } from '../store/store.js';
import { BY_OPTION, mayWrite, type PlaceOptions, type StoreAt } from './place.js';
import { plain, say, sayJson, tell } from './screen/print.js';

const logger = { warn: (message: string) => tell(`colibri: ${plain(message)}`) };

/** True if the file exists. Throws if its folder may not be entered: then nobody can say that the file does not exist. */
export const isThere = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    throw new ColibriError('STORE_UNAVAILABLE', `${path} cannot be reached: ${asError(thrown).message}.`, {
      remedy:
        'Give this user the right to enter the folder of the store, or name another store with --db or --project.',
    });
  }
};

/** Whether there is a store. One on a server is looked for when it is opened. */
const hasStore = ({ engine, path }: StoreAt): boolean => engine === 'postgres' || isThere(path);

export const assertThere = (at: StoreAt): void => {
  if (hasStore(at)) return;
  const { path, rule } = at;
  const earlier = quietly(() => earlierStoreText(goneFrom(at.heads, at.site)));
  throw new ColibriError('STORE_UNAVAILABLE', `There is no store at ${path} (${rule}).`, {
    remedy:
      earlier === undefined
        ? 'A client that starts Colibri makes it; or name another store with --db or --project.'
        : `${earlier} \`colibri restore\` says what can be put back.`,
  });
};

/** True before the first start: the default store does not exist yet, which is not an error. A store that a person named must exist. */
export const isNotYet = (at: StoreAt, { db }: PlaceOptions): boolean =>
  db === undefined && at.config.dbPath === undefined && !hasStore(at);

export const notYetText = ({ path, rule }: StoreAt): string =>
  `Nothing is recorded yet: there is no store at ${plain(path)} (${plain(rule)}).`;

/** Prints that there is no store yet. `empty`: the empty lists that `--json` prints, so that a program finds the members it expects. */
export const sayNotYet = (at: StoreAt, empty: object, json: true | undefined): number => {
  const { path, rule } = at;
  const earlier = earlierStoreText(goneFrom(at.heads, at.site));
  if (json) sayJson({ recorded: false, store: { path, rule }, ...(earlier && { earlier }), ...empty });
  else {
    say(notYetText(at));
    if (earlier !== undefined) say(plain(earlier));
    say('Recording begins when a client starts Colibri; `colibri init` adds it to your clients.');
  }
  return 0;
};

const use = <T>(store: Store, work: (store: Store) => Promise<T>): Promise<T> =>
  work(store).finally(() => store.close());

/**
 * The remedies of the store's errors name the setting COLIBRI_DB_PATH. For a store given by `--db`, this function puts that option in its
 * place.
 */
const withOptionInRemedy = (thrown: unknown, { rule }: StoreAt): unknown => {
  if (!(thrown instanceof ColibriError) || thrown.remedy === undefined || rule !== BY_OPTION) return thrown;
  const { code, message, details } = thrown;
  const remedy = thrown.remedy.replaceAll('COLIBRI_DB_PATH', BY_OPTION);
  return new ColibriError(code, message, { remedy, cause: thrown, ...(details && { details }) });
};

/** Opens the store read-only. Refuses a store whose schema this version does not read. */
export const readingStore = async <T>(at: StoreAt, work: (store: Store) => Promise<T>): Promise<T> => {
  assertThere(at);
  try {
    return await use(await openStoreAt(at, { readOnly: true, logger }), async (store) => {
      await store.migrate(async () => {});
      return work(store);
    });
  } catch (thrown) {
    throw withOptionInRemedy(thrown, at);
  }
};

export const readingOnce = <T>(at: StoreAt, work: (tx: ReadTx) => Promise<T>): Promise<T> =>
  readingStore(at, (store) => store.read(work));

export const assertMayWrite = (at: StoreAt): void => {
  if (mayWrite(at)) return;
  throw new ColibriError('STORE_READ_ONLY', 'This command writes, and COLIBRI_MODE=READONLY forbids it.', {
    remedy: 'Unset COLIBRI_MODE and try again.',
  });
};

interface WritingOptions extends Pick<SqliteOptions, 'wipe' | 'limits'> {
  /**
   * True for `colibri accept-loss` and `restore`, with which a person accepts a copied store or a lost log. Other commands refuse to write to such a store.
   */
  readonly accepts?: true;
  /** True for commands that take contents out: on a server, only the role of the keeper may do that. */
  readonly takesOut?: true;
}

/** Opens the store for writing; `serve` processes may have the store open at the same time. */
export const writingStore = async <T>(
  at: StoreAt,
  work: (store: Store) => Promise<T>,
  { accepts, takesOut, ...options }: WritingOptions = {},
): Promise<T> => {
  assertMayWrite(at);
  // Refuses, before the file is opened for writing, a store with an older schema (only `serve` migrates a store) and a copy of a store.
  await readingStore(at, (store) =>
    accepts ? Promise.resolve() : store.read((tx) => assertBound(tx, at.heads, at.site)),
  );
  const { durability } = at.config;
  const done = use(await openStoreAt(at, { ...options, readOnly: false, durability, logger }), work);
  return takesOut ? done.catch(keeperWanted) : done;
};

/** What a database server calls a refusal for want of a right (SQLSTATE). */
const RIGHT_LACKS = '42501';

/** Throws what was thrown, but says who may take contents out if the role of the application may not. */
const keeperWanted = (thrown: unknown): never => {
  if (!(thrown instanceof ColibriError) || thrown.details?.engine !== RIGHT_LACKS) throw thrown;
  throw new ColibriError(thrown.code, `Nothing was taken out: ${thrown.message}.`, {
    remedy: 'Give this command the address of the keeper (docs/postgres.md, "Roles").',
    details: thrown.details,
    cause: thrown,
  });
};

const TO_HAVE_LOG = {
  sqlite: 'Run this command as the user and on the machine that serves the store, or start `colibri serve` once.',
  postgres:
    'Run this command on a machine that serves the store, with the address of the application or the keeper: a role that only reads has no log (docs/postgres.md, "Roles").',
} as const;

/** The id of the open log of this machine and user. */
export const ownLog = async (tx: ReadTx, { node, heads, engine }: StoreAt): Promise<string> => {
  const log = await openLogOf(tx, node);
  const { copy: copied } = await acceptedIn(tx, heads);
  if (log !== undefined && !copied.has(log)) return log;
  throw new ColibriError('STORE_UNAVAILABLE', `The store has no open log of ${node}.`, {
    remedy: TO_HAVE_LOG[engine],
  });
};
