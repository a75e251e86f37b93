// Phase 2: the store and, where the mode has one, the ledger. Opened after the transport answers; nothing here is
// imported before that.
import { hash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from './clock.js';
import { type Config, configDigestInput } from './config.js';
import { ColibriError } from './errors.js';
import { uuidV7 } from './ids.js';
import type { Backlog } from './ledger/backlog.js';
import { type CallLedger, createCallLedger } from './ledger/call-ledger.js';
import { canonicalJson } from './ledger/canonical-json.js';
import { bootInstance, closeInterrupted, endInstance, type InstancePlace } from './ledger/instances.js';
import { type KeyRing, keyRing } from './ledger/keys.js';
import { openLog } from './ledger/open.js';
import { type BootRecord, name } from './ledger/records.js';
import { LIMITS } from './limits.js';
import type { Log } from './log-file.js';
import { thisMachine } from './machine.js';
import { MODES } from './modes.js';
import type { NoProject, Project, StoreChoice } from './project.js';
import { openSqliteStore } from './store/sqlite.js';
import type { Store } from './store/store.js';

export interface Phase2Options {
  readonly config: Config;
  readonly project: Project | NoProject;
  readonly choice: StoreChoice;
  readonly version: string;
  readonly backlog: Backlog | undefined;
  readonly now: Clock;
  /** Whether at most one call is in flight. */
  readonly isAlone: () => boolean;
  readonly log: Log;
}

/** Requests answered and not answered while draining, and calls whose handlers have not ended even so. */
export interface EndCounts {
  readonly drained: number;
  readonly abandoned: number;
  readonly unended: number;
}

/** What is open, and how it ends. */
export interface Opened {
  readonly store: Store;
  readonly ledger: CallLedger | undefined;
  close(reason: string, counts: EndCounts): Promise<void>;
}

interface StorePlace {
  readonly path: string;
  readonly keys: KeyRing;
  /** The folder that goes with the process. */
  readonly throwaway?: string;
}

/** Where database, key and everything else of this process go; a throw-away store takes all of it along. */
const placeOf = ({ config, choice }: Phase2Options): StorePlace => {
  if (choice.kind === 'sqlite') {
    const keys = keyRing({ dir: join(config.directories.state, 'keys'), file: config.keyFile });
    return { path: choice.path, keys };
  }
  if (choice.kind === 'throwaway') {
    const throwaway = mkdtempSync(join(tmpdir(), 'colibri-test-'));
    return { path: join(throwaway, 'colibri.db'), keys: keyRing({ dir: join(throwaway, 'keys') }), throwaway };
  }
  throw new ColibriError('STORE_UNAVAILABLE', 'This version of Colibri has no PostgreSQL adapter.', {
    remedy: 'Unset COLIBRI_DATABASE_URL to use SQLite.',
  });
};

const bootRecord = ({ config, project, version }: Phase2Options, instance: string): BootRecord => {
  const { node, osUser, machineBoot } = thisMachine();
  return {
    kind: 'boot',
    instance,
    node: name(node),
    pid: process.pid,
    os_user: name(osUser),
    version,
    mode: config.mode,
    project: project.none ? null : name(project.name),
    machine_boot: machineBoot,
    config_digest: hash('sha256', canonicalJson(configDigestInput(config))),
  };
};

interface Housekeeping {
  readonly ledger: CallLedger;
  readonly place: InstancePlace;
  /** Runs it once more and ends the timers. */
  stop(): Promise<void>;
}

/** Boots this instance in its log, then keeps the log whole: late records, calls of the dead. */
const openLedger = async (
  options: Phase2Options,
  store: Store,
  keys: KeyRing,
): Promise<Housekeeping & { instance: string }> => {
  const { config, backlog, log } = options;
  const instance = uuidV7(Date.now(), randomBytes(10));
  const boot = bootRecord(options, instance);
  const logId = await openLog({ store, keys, node: boot.node, now: options.now });
  const place: InstancePlace = { store, log: logId, now: options.now };
  await bootInstance(place, boot);
  const ledger = createCallLedger({
    store,
    log: logId,
    instance,
    payloads: config.auditPayloads,
    isAlone: options.isAlone,
  });
  await backlog?.flush(store, ledger);

  const sweep = async (): Promise<void> => {
    const closed = await closeInterrupted(place, ledger);
    if (closed > 0) log('warn', `closed ${closed} calls of processes that died as interrupted`);
  };
  await sweep().catch((error) => log('warn', 'housekeeping failed:', error)); // tried again with the next sweep
  const flush = async () => backlog?.flush(store, ledger);
  const last = async () => {
    await backlog?.expected();
    await flush();
  };
  return { instance, ledger, place, ...repeat({ sweep, flush, last }, log) };
};

/** The two jobs on their timers; neither ever runs twice at once, and no failure of theirs stops the server. */
const repeat = (
  jobs: Readonly<Record<'sweep' | 'flush' | 'last', () => Promise<void>>>,
  log: Log,
): { stop: () => Promise<void> } => {
  const timers: NodeJS.Timeout[] = [];
  let running: Promise<void> = Promise.resolve();
  let told = '';
  /** The same trouble every second is one line. */
  const tell = (error: unknown): void => {
    if (String(error) !== told) log('warn', 'housekeeping failed:', error);
    told = String(error);
  };
  const every = (ms: number, job: () => Promise<void>): void => {
    const run = () => {
      running = running.then(job).catch(tell);
    };
    timers.push(setInterval(run, ms).unref());
  };
  every(LIMITS.lateRetryMs, jobs.flush);
  every(LIMITS.sweepMs, jobs.sweep);
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await running;
      await jobs.last().catch((error) => log('error', 'late records are lost:', error));
    },
  };
};

export const openPhase2 = async (options: Phase2Options): Promise<Opened> => {
  const { config, log } = options;
  const { path, keys, throwaway } = placeOf(options);
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
      return { store, ledger: undefined, close: () => store.close() };
    }
    const { ledger, place, instance, stop } = await openLedger(options, store, keys);
    return {
      store,
      ledger,
      close: async (reason, counts) => {
        await stop();
        const { drained, abandoned, unended } = counts;
        const leavesCalls = unended > 0 || options.backlog?.leavesCalls === true;
        await endInstance(place, { instance, reason, drained, abandoned }, leavesCalls).catch((error) =>
          log('error', 'the shutdown record could not be written:', error),
        );
        await store.close().finally(cleanUp);
      },
    };
  } catch (thrown) {
    await store.close().finally(cleanUp);
    throw thrown;
  }
};
