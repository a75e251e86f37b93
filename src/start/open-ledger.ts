// The ledger of one process: its boot in the log, its signer, and the housekeeping that keeps the log whole. Used by
// phase 2 alone.
import { hash, randomBytes } from 'node:crypto';
import { type Config, configDigestInput } from '../config.js';
import type { Clock } from '../core/clock.js';
import { uuidV7 } from '../core/ids.js';
import { sealForDead, sealProcess } from '../domains/trail/seal.js';
import type { ColibriError } from '../errors.js';
import type { Backlog } from '../ledger/backlog.js';
import { type CallLedger, createCallLedger } from '../ledger/call-ledger.js';
import type { Heads } from '../ledger/heads.js';
import { closeInterrupted, endInstance, type InstancePlace, recordBoot } from '../ledger/instances.js';
import type { KeyRing } from '../ledger/keys.js';
import { LEDGER_LIMITS } from '../ledger/limits.js';
import { openLog } from '../ledger/open.js';
import { enterProject } from '../ledger/projects.js';
import { createSigner, type Signer } from '../ledger/signer.js';
import { canonicalJson } from '../proof/canonical-json.js';
import type { BootRecord } from '../proof/records.js';
import { asName } from '../redact/as-name.js';
import type { Store, Tx } from '../store/store.js';
import type { Identity } from './identity.js';
import { START_LIMITS } from './limits.js';
import type { Log } from './log-file.js';
import { thisMachine } from './machine.js';
import type { NoProject, Project } from './project.js';

export interface LedgerOptions {
  readonly config: Config;
  readonly project: Project | NoProject;
  /** Undefined: there is no project. */
  readonly identity: Identity | undefined;
  readonly version: string;
  readonly backlog: Backlog | undefined;
  readonly now: Clock;
  /** The calls in flight. */
  readonly inFlight: { readonly size: number };
  readonly log: Log;
}

/** Where the evidence of this process goes. */
export interface LedgerPlaces {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly heads: Heads;
}

/** Requests answered and not answered while draining, and calls whose handlers have not ended even so. */
export interface EndCounts {
  readonly drained: number;
  readonly abandoned: number;
  readonly unended: number;
}

export interface OpenLedger {
  readonly ledger: CallLedger;
  readonly signer: Signer;
  /** Late records, the seal of this process, its last record, the last signature. */
  end(reason: string, counts: EndCounts): Promise<void>;
}

const bootRecord = ({ config, project, identity, version }: LedgerOptions, instance: string): BootRecord => {
  const { node, osUser, machineBoot } = thisMachine();
  return {
    kind: 'boot',
    instance,
    node: asName(node),
    pid: process.pid,
    os_user: asName(osUser),
    version,
    mode: config.mode,
    project: project.none ? null : asName(project.name),
    project_id: identity?.id ?? null,
    machine_boot: machineBoot,
    config_digest: hash('sha256', canonicalJson(configDigestInput(config))),
  };
};

/** The project's place in the store, and what its boot record says of that. */
const entered = async (
  tx: Tx,
  log: string,
  at: string,
  { project, identity }: LedgerOptions,
): Promise<Pick<BootRecord, 'subjects'>> => {
  if (project.none || identity === undefined) return {};
  const { id, takes } = identity;
  const subjects = await enterProject(tx, log, at, { id, takes, name: project.name, dir: project.dir });
  return subjects.length === 0 ? {} : { subjects };
};

type Job = () => Promise<void>;

/** Jobs on their timers; no two ever run at once, and no failure of theirs stops the server. */
const repeat = (jobs: readonly (readonly [everyMs: number, job: Job])[], log: Log): { stop: Job } => {
  let running: Promise<void> = Promise.resolve();
  let told = '';
  /** The same trouble every second is one line. */
  const tell = (error: unknown): void => {
    if (String(error) !== told) log('warn', 'housekeeping failed:', error);
    told = String(error);
  };
  const timers = jobs.map(([everyMs, job]) =>
    setInterval(() => {
      running = running.then(job).catch(tell);
    }, everyMs).unref(),
  );
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
};

interface Made {
  readonly ledger: CallLedger;
  readonly signer: Signer;
  /** Set when the store contradicts what was signed. */
  readonly broken: () => ColibriError | undefined;
}

const makeLedger = (options: LedgerOptions, places: LedgerPlaces, logId: string, instance: string): Made => {
  const { config, inFlight, log } = options;
  let broken: ColibriError | undefined;
  const signer = createSigner({
    ...places,
    log: logId,
    warn: (message) => log('warn', message),
    onBroken: (error) => {
      broken ??= error;
      ledger.halt(error);
      log('error', error.code, error.message, error.remedy ?? '');
    },
  });
  const { store } = places;
  const payloads = config.auditPayloads;
  const ledger = createCallLedger({ store, log: logId, instance, payloads, inFlight, onFull: signer.soon });
  return { ledger, signer, broken: () => broken };
};

/** Calls and sessions of processes that died. */
const sweeper =
  (place: InstancePlace, { ledger, signer }: Made, log: Log): Job =>
  async () => {
    const closed = await closeInterrupted(place, ledger);
    if (closed > 0) log('warn', `closed ${closed} calls of processes that died as interrupted`);
    const sealed = await sealForDead(place.store, () => ({ log: place.log, at: place.now() }));
    if (sealed === 0) return;
    log('info', `sealed ${sealed} sessions of processes that died`);
    signer.soon();
  };

/** Boots this instance in its log, then keeps the log whole: late records, the dead, signatures. */
export const openLedger = async (options: LedgerOptions, places: LedgerPlaces): Promise<OpenLedger> => {
  const { backlog, log, now } = options;
  const { store } = places;
  const instance = uuidV7(Date.now(), randomBytes(10));
  const boot = bootRecord(options, instance);
  await store.instances.hold(instance);
  const logId = await openLog({ ...places, node: boot.node, now }, async (tx, opened) => {
    const at = now();
    await recordBoot(tx, opened, at, { ...boot, ...(await entered(tx, opened, at, options)) });
  });
  const made = makeLedger(options, places, logId, instance);
  const { ledger, signer, broken } = made;
  const place: InstancePlace = { store, log: logId, now };
  const flush: Job = async () => backlog?.flush(store, ledger);
  const sweep = sweeper(place, made, log);
  await flush();
  await sweep().catch((error) => log('warn', 'housekeeping failed:', error)); // tried again with the next sweep
  const { stop } = repeat(
    [
      [LEDGER_LIMITS.lateRetryMs, flush],
      [START_LIMITS.sweepMs, sweep],
      [START_LIMITS.signMs, signer.sign],
    ],
    log,
  );

  const lastRecords = async (reason: string, { drained, abandoned, unended }: EndCounts): Promise<void> => {
    await store.write((tx) => sealProcess(tx, { log: logId, at: now() }, instance));
    const leavesCalls = unended > 0 || backlog?.leavesCalls === true;
    await endInstance(place, { instance, reason, drained, abandoned }, leavesCalls);
    await signer.sign();
  };
  return {
    ledger,
    signer,
    end: async (reason, counts) => {
      await stop();
      if (broken() !== undefined) return;
      const last = async () => {
        await backlog?.expected();
        await flush();
      };
      await last().catch((error) => log('error', 'late records are lost:', error));
      await lastRecords(reason, counts).catch((error) =>
        log('error', 'the end of this process could not be recorded:', error),
      );
    },
  };
};
