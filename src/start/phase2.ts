// Phase 2 of the start: opens the store and, if the mode has one, the ledger. Phase 2 runs once the transport answers, and this file and
// its imports are not loaded before that.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.js';
import { isoClock } from '../core/clock.js';
import { ColibriError } from '../errors.js';
import type { Site } from '../ledger/binding.js';
import type { CallLedger } from '../ledger/calls/call-ledger.js';
import type { JournalPlace } from '../ledger/calls/journal-folder.js';
import { type Heads, headsIn } from '../ledger/heads.js';
import { type KeyRing, keyRing } from '../ledger/keys.js';
import type { Signer } from '../ledger/signer.js';
import { MODES } from '../modes.js';
import { folderBeside, makeOwnFolder } from '../store/sqlite/beside.js';
import { openSqliteStore } from '../store/sqlite/open.js';
import { surroundingsOf } from '../store/sqlite/other-store.js';
import type { Store } from '../store/store.js';
import { claimIdentity, type Identity, lookUpIdentity } from './identity.js';
import { START_LIMITS } from './limits.js';
import { thisMachine } from './machine.js';
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
}

export interface StorePlace {
  readonly path: string;
  readonly keysDir: string;
  readonly keyFile: string | undefined;
  readonly headsDir: string;
  readonly keys: KeyRing;
  readonly heads: Heads;
  /** The path and host of the store, which its signed heads name so that a copy of the store can be told from it. */
  readonly site: Site;
  readonly journals: JournalPlace;
  /** The temporary folder of a throw-away store, which is removed when the process ends. */
  readonly throwaway?: string;
}

const placeIn = (path: string, state: string, config?: Pick<Config, 'keyFile' | 'headsDir'>): StorePlace => {
  const keysDir = join(state, 'keys');
  const keyFile = config?.keyFile;
  const headsDir = config?.headsDir ?? join(state, 'heads');
  const keys = keyRing({ dir: keysDir, file: keyFile });
  const { host, machineBoot } = thisMachine();
  const site = { ...surroundingsOf(path), host };
  const journals = { folder: folderBeside(path, 'journal'), machineBoot };
  return { path, keysDir, keyFile, headsDir, keys, heads: headsIn(headsDir), site, journals };
};

/** The paths of the database, the keys and the heads; for a throw-away store, all in one temporary folder. */
export const storePlaceOf = (config: Config, choice: StoreChoice): StorePlace => {
  if (choice.kind === 'sqlite') return placeIn(choice.path, config.directories.state, config);
  if (choice.kind === 'throwaway') {
    const throwaway = mkdtempSync(join(tmpdir(), 'colibri-test-'));
    return { ...placeIn(join(throwaway, 'colibri.db'), throwaway), throwaway };
  }
  throw new ColibriError('STORE_UNAVAILABLE', 'This version of Colibri has no PostgreSQL adapter.', {
    remedy: 'Unset COLIBRI_DATABASE_URL to use SQLite.',
  });
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

export const openPhase2 = async (options: Phase2Options): Promise<OpenedStore> => {
  const { config, log } = options;
  const places = storePlaceOf(config, options.choice);
  const { path, throwaway } = places;
  const readOnly = MODES[config.mode].store === 'read';
  const logger = { warn: (message: string, fields?: unknown) => log('warn', message, ...(fields ? [fields] : [])) };
  const cleanUp = (): void => {
    if (throwaway !== undefined) rmSync(throwaway, { recursive: true, force: true });
  };
  const store = await openSqliteStore({ path, readOnly, durability: config.durability, logger }).catch((thrown) => {
    cleanUp();
    throw thrown;
  });
  try {
    if (!MODES[config.mode].ledger) {
      await store.migrate(async () => {});
      return { store, places, ledger: undefined, signer: undefined, close: () => store.close() };
    }
    makeOwnFolder(places.journals.folder);
    const { keys, heads, site, journals } = places;
    const { ledger, signer, end } = await openLedger(options, { store, keys, heads, site, journals });
    return {
      store,
      places,
      ledger,
      signer,
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
