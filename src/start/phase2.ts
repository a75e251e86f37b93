// Phase 2 of the start: opens the store and, if the mode has one, the ledger. Phase 2 runs once the transport answers, and this file and
// its imports are not loaded before that.
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { isoClock } from '../core/clock.js';
import { serverAddress } from '../core/database-url.js';
import { ColibriError } from '../errors.js';
import type { Site } from '../ledger/binding.js';
import type { CallLedger } from '../ledger/calls/call-ledger.js';
import type { JournalPlace } from '../ledger/calls/journal-folder.js';
import { type Heads, headsIn } from '../ledger/heads.js';
import { type KeyRing, keyRing } from '../ledger/keys.js';
import type { Signer } from '../ledger/signer.js';
import { MODES } from '../modes.js';
import { folderBeside } from '../store/sqlite/beside.js';
import { openSqliteStore } from '../store/sqlite/open.js';
import type { SqliteOptions } from '../store/sqlite/options.js';
import { surroundingsOf } from '../store/sqlite/other-store.js';
import type { Store } from '../store/store.js';
import { claimIdentity, type Identity, lookUpIdentity } from './identity.js';
import { START_LIMITS } from './limits.js';
import { thisMachine } from './machine.js';
import { claimNodeId, nodeIdIn } from './node-id.js';
import { type EndCounts, type LedgerOptions, openLedger } from './open-ledger.js';
import type { StoreChoice } from './project.js';
import { holdingState } from './state-lock.js';

export interface Phase2Options extends LedgerOptions {
  readonly choice: StoreChoice;
}

/** The open store and ledger, and how they are closed. */
export interface OpenedStore {
  readonly store: Store;
  readonly places: StorePlace;
  readonly ledger: CallLedger | undefined;
  readonly signer: Signer | undefined;
  close(reason: string, counts: EndCounts): Promise<void>;
  /** Closes without a last record, because others took this process for dead. */
  abandon(): Promise<void>;
}

export interface StorePlace {
  readonly engine: 'sqlite' | 'postgres';
  /** The path of the database file; of a store on a server, the name that local files about it begin with. */
  readonly path: string;
  /** The address of the server's database. It may hold a password: never print it, print `site.path`. */
  readonly url?: string;
  /** The name under which this machine writes: its log in the store. Undefined on a server that this machine has never written to. */
  readonly node: string | undefined;
  readonly keysDir: string;
  readonly keyFile: string | undefined;
  readonly headsDir: string;
  readonly keys: KeyRing;
  readonly heads: Heads;
  /** The path and host of the store, which its signed heads name so that a copy of the store can be told from it. */
  readonly site: Site;
  readonly journals: JournalSite;
  /** The temporary folder of a throw-away store, which is removed when the process ends. */
  readonly throwaway?: string;
}

/** Where the journals of a store are, once its id is known, and under which boot of the machine this process runs. */
export interface JournalSite extends Pick<JournalPlace, 'machineBoot'> {
  readonly folderOf: (storeId?: string) => string;
}

type KeyConfig = Pick<Config, 'keyFile' | 'headsDir'>;

const keysIn = (state: string, config?: KeyConfig) => {
  const [keysDir, keyFile] = [join(state, 'keys'), config?.keyFile];
  const headsDir = config?.headsDir ?? join(state, 'heads');
  return { keysDir, keyFile, headsDir, keys: keyRing({ dir: keysDir, file: keyFile }), heads: headsIn(headsDir) };
};

const placeIn = (path: string, state: string, config?: KeyConfig): StorePlace => {
  const { host, node, machineBoot } = thisMachine();
  const site = { ...surroundingsOf(path), host };
  const journals = { folderOf: () => folderBeside(path, 'journal'), machineBoot };
  return { engine: 'sqlite', path, node, ...keysIn(state, config), site, journals };
};

/** Journals are on this machine, and only this machine recovers them. Other machines know the store by the same address. */
const placeOnServer = (url: string, state: string, config: KeyConfig): StorePlace => {
  const address = serverAddress(url);
  const site = { path: address.text, host: address.host, storeIdAt: () => undefined, backups: () => [] };
  const journals = {
    folderOf: (storeId = '') => join(state, 'journal', storeId),
    machineBoot: thisMachine().machineBoot,
  };
  const path = join(state, 'postgres', hash('sha256', address.text).slice(0, 32));
  return { engine: 'postgres', path, url, node: nodeIdIn(state), ...keysIn(state, config), site, journals };
};

/** The paths of the database, the keys and the heads; for a throw-away store, all in one temporary folder. */
export const storePlaceOf = (config: Config, choice: StoreChoice): StorePlace => {
  if (choice.kind === 'sqlite') return placeIn(choice.path, config.directories.state, config);
  if (choice.kind === 'postgres') return placeOnServer(choice.url, config.directories.state, config);
  if (choice.kind === 'none') throw new ColibriError('CONFIG_INVALID', `There is no store: ${choice.rule}.`);
  const throwaway = mkdtempSync(join(tmpdir(), 'colibri-test-'));
  return { ...placeIn(join(throwaway, 'colibri.db'), throwaway), throwaway };
};

type ToOpen = Pick<StorePlace, 'engine' | 'path' | 'url'>;

/** Opens the store of a place, on the engine that the place is on. Code of the other engine is not loaded. */
export const openStoreAt = async (
  { engine, path, url }: ToOpen,
  options: Pick<SqliteOptions, 'readOnly' | 'durability' | 'logger' | 'wipe' | 'limits'>,
): Promise<Store> => {
  if (engine === 'sqlite' || url === undefined) return openSqliteStore({ path, ...options });
  const { openPostgresStore } = await import('../store/postgres/open.js');
  const { readOnly = false, logger } = options;
  return openPostgresStore({ url, backups: `${path}.backups`, readOnly, ...(logger && { logger }) });
};

type Identified = Pick<Phase2Options, 'config' | 'project' | 'choice' | 'log'>;

/** Determines and logs the project's id. Only a process that writes to a store adds the id to the known projects. */
export const identifyProject = async ({ config, project, choice, log }: Identified): Promise<Identity | undefined> => {
  if (project.none) return undefined;
  const stateDir = config.directories.state;
  const place = { project, choice, stateDir };
  const identity =
    MODES[config.mode].store === 'write'
      ? await claimIdentity(place, isoClock()(), (act) =>
          holdingState(stateDir, act, { waitMs: START_LIMITS.claimLockMs }),
        )
      : lookUpIdentity(place);
  log('info', `project id: ${identity.id} (${identity.rule})`);
  if (identity.note !== undefined) log('warn', `${identity.note.message} ${identity.note.remedy}`);
  return identity;
};

/** The place of the store; a machine that writes to a server for the first time gets its id. */
const placeToWrite = (config: Config, choice: StoreChoice): StorePlace & { readonly node: string } => {
  const place = storePlaceOf(config, choice);
  return { ...place, node: place.node ?? claimNodeId(config.directories.state) };
};

export const openPhase2 = async (options: Phase2Options): Promise<OpenedStore> => {
  const { config, log } = options;
  const places = placeToWrite(config, options.choice);
  const { throwaway } = places;
  const readOnly = MODES[config.mode].store === 'read';
  const logger = { warn: (message: string, fields?: unknown) => log('warn', message, ...(fields ? [fields] : [])) };
  const cleanUp = (): void => {
    if (throwaway !== undefined) rmSync(throwaway, { recursive: true, force: true });
  };
  const store = await openStoreAt(places, { readOnly, durability: config.durability, logger }).catch((thrown) => {
    cleanUp();
    throw thrown;
  });
  try {
    if (!MODES[config.mode].ledger) {
      await store.migrate(async () => {});
      const close = () => store.close();
      return { store, places, ledger: undefined, signer: undefined, close, abandon: close };
    }
    const { ledger, signer, end, abandon } = await openLedger(options, { ...places, store, node: places.node });
    return {
      store,
      places,
      ledger,
      signer,
      abandon: async () => {
        await abandon();
        await store.close();
      },
      close: async (reason, counts) => {
        await end(reason, counts);
        await store.close().finally(cleanUp);
      },
    };
  } catch (thrown) {
    await store.close().finally(cleanUp);
    throw thrown;
  }
};
