// Opens the ledger of this process once the transport answers (phase 2): writes the boot record, creates the signer, and runs the
// housekeeping (late records, calls of dead processes, signatures).
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Config, configDigestInput } from '../config.js';
import { type Clock, monotonicMs } from '../core/clock.js';
import { uuidV7 } from '../core/ids.js';
import { convertTasks } from '../domains/tasks/unassign.js';
import { sealForDead, sealProcess } from '../domains/trail/seal.js';
import { recordBeside } from '../ledger/beside.js';
import { bindHeads, bindingOf, earlierStoreText, type Site } from '../ledger/binding.js';
import type { Backlog } from '../ledger/calls/backlog.js';
import { type CallLedger, createCallLedger, type Traffic } from '../ledger/calls/call-ledger.js';
import { closeInterrupted, endInstance, type InstancePlace, recordBoot } from '../ledger/calls/instances.js';
import { IntentJournal } from '../ledger/calls/journal.js';
import { hasJournal, type JournalPlace } from '../ledger/calls/journal-folder.js';
import { bootText, recoverJournals } from '../ledger/calls/recover.js';
import { readHead } from '../ledger/head.js';
import type { Heads } from '../ledger/heads.js';
import { storeIdOf } from '../ledger/identity.js';
import type { KeyRing } from '../ledger/keys.js';
import { LEDGER_LIMITS } from '../ledger/limits.js';
import { openLog } from '../ledger/open.js';
import type { OwnLog } from '../ledger/own-log.js';
import { enterProject } from '../ledger/projects.js';
import { createSigner, type Signer } from '../ledger/signer.js';
import { acceptedKeysIn, keepOtherHeads } from '../ledger/team/other-logs.js';
import { canonicalJson } from '../proof/canonical-json.js';
import type { BootRecord } from '../proof/records.js';
import { asName } from '../redact/redact.js';
import { makeOwnFolder } from '../store/sqlite/beside.js';
import type { Store, Tx } from '../store/store.js';
import type { Identity } from './identity.js';
import { START_LIMITS } from './limits.js';
import type { Log } from './log-file.js';
import { thisMachine } from './machine.js';
import type { JournalSite } from './phase2.js';
import type { NoProject, Project } from './project.js';

export interface LedgerOptions {
  readonly config: Config;
  readonly project: Project | NoProject;
  /** The project's id and how it was chosen; undefined if there is no project. */
  readonly identity: Identity | undefined;
  readonly version: string;
  readonly backlog: Backlog | undefined;
  readonly now: Clock;
  readonly traffic: Traffic;
  readonly log: Log;
  /** Called once others were found to have taken this process for dead: then it begins anew. */
  readonly onGone: () => void;
}

/** The store, keys and heads that this process uses. */
export interface LedgerPlaces {
  readonly store: Store;
  readonly keys: KeyRing;
  readonly heads: Heads;
  readonly site: Site;
  readonly journals: JournalSite;
  /** The name under which this machine writes. */
  readonly node: string;
}

/** How many requests were answered and not answered during shutdown, and how many calls' handlers are still running. */
export interface EndCounts {
  readonly drained: number;
  readonly abandoned: number;
  readonly unended: number;
}

export interface OpenLedger {
  readonly ledger: CallLedger;
  readonly signer: Signer;
  /** Writes late records, closes (seals) this process's sessions, appends its last record and signs the log. */
  end(reason: string, counts: EndCounts): Promise<void>;
  /** Ends without a last record, because others took this process for dead. The journal stays for whoever recovers it. */
  abandon(): Promise<void>;
}

const bootRecord = (
  { config, project, identity, version }: LedgerOptions,
  { instance, node }: { readonly instance: string; readonly node: string },
): BootRecord => {
  const { osUser, machineBoot } = thisMachine();
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

/** Adds the project to the store; returns what the boot record says about the project. */
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

/** Logs a warning if another signed store was at this path before. Nothing else shows that it was deleted. */
const warnOfEarlierStore = async ({ store, heads, site }: LedgerPlaces, log: Log): Promise<void> => {
  const earlier = earlierStoreText(await store.read((tx) => bindingOf(tx, heads, site)));
  if (earlier !== undefined) log('warn', `${earlier} colibri restore shows it; colibri accept-loss accepts it.`);
};

type Job = () => Promise<void>;

/** Runs jobs at intervals. No two jobs run at once, and a job's failure does not stop the server. */
const repeat = (jobs: readonly (readonly [everyMs: number, job: Job])[], log: Log): { stop: Job } => {
  let running: Promise<void> = Promise.resolve();
  let lastError = '';
  /** Logs a job's error only if it differs from the last one. */
  const warn = (error: unknown): void => {
    if (String(error) !== lastError) log('warn', 'housekeeping failed:', error);
    lastError = String(error);
  };
  const timers = jobs.map(([everyMs, job]) =>
    setInterval(() => {
      running = running.then(job).catch(warn);
    }, everyMs).unref(),
  );
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await running;
    },
  };
};

/** What a process writes, and where: its log, its id, its journal. */
interface OwnPlace {
  readonly ownLog: OwnLog;
  readonly instance: string;
  readonly journals: JournalPlace;
}

/** Makes the folder of the journals. On a server's store nobody else has made the folder around it. */
const makeJournalFolder = (folder: string): void => {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  makeOwnFolder(folder);
};

const makeLedger = (options: LedgerOptions, places: LedgerPlaces, { ownLog, instance, journals }: OwnPlace) => {
  const { config, traffic, log } = options;
  /** True once the store was found to contradict a signed checkpoint or head. */
  let broken = false;
  const signer = createSigner({
    ...places,
    log: ownLog.id,
    bind: () => bindHeads(places.store, places.heads, places.site),
    warn: (message) => log('warn', message),
    onSigned: () => ledger.wipeJournal(),
    onBroken: (error) => {
      broken = true;
      ledger.halt(error);
      log('error', error.code, error.message, error.remedy ?? '');
    },
  });
  const { store } = places;
  const payloads = config.auditPayloads;
  const journal = new IntentJournal({
    path: join(journals.folder, instance),
    owner: { log: ownLog.id, instance, machineBoot: bootText(journals) },
    mac: ownLog.journalMac,
    isSynced: config.durability === 'full',
  });
  const ledger = createCallLedger({
    store,
    log: ownLog,
    instance,
    payloads,
    traffic,
    journal,
    nowMs: monotonicMs,
    signing: signer.state,
    onGrown: signer.grown,
    refusal: signer.refusal,
  });
  return { ledger, signer, isBroken: () => broken };
};

type Sweeping = Pick<OpenLedger, 'ledger' | 'signer'> & Pick<OwnPlace, 'journals'>;

/** Moves the intents that dead processes left in journals into the ledger, closes their calls and seals their sessions. */
const sweeper =
  (place: InstancePlace, { ledger, signer, journals }: Sweeping, log: Log): Job =>
  async () => {
    const { calls, kept } = await recoverJournals(place, journals, ledger);
    if (calls > 0) log('warn', `recovered ${calls} calls from the journals of processes that died`);
    for (const why of kept) log('warn', `kept the journal ${why}`);
    const closed = await closeInterrupted(place, ledger, (instance) => hasJournal(journals, instance));
    if (closed > 0) log('warn', `marked ${closed} calls as interrupted, because their processes died`);
    const sealed = await sealForDead(place.store, () => ({ log: place.log, at: place.now() }));
    if (sealed === 0) return;
    log('info', `sealed ${sealed} sessions of processes that died`);
    signer.soon();
  };

/** Appends this process's boot record to the log and then keeps the log complete: late records, calls of dead processes, signatures. */
export const openLedger = async (options: LedgerOptions, places: LedgerPlaces): Promise<OpenLedger> => {
  const { backlog, log, now } = options;
  const { store } = places;
  const instance = uuidV7(Date.now(), randomBytes(10));
  const boot = bootRecord(options, { instance, node: places.node });
  await store.instances.hold(instance);
  const ownLog = await openLog({ ...places, node: boot.node, now, convert: convertTasks }, async (tx, opened) => {
    const at = now();
    await recordBoot(tx, opened, at, { ...boot, ...(await entered(tx, opened.id, at, options)) });
    await recordBeside(tx, { log: opened, instance, at });
  });
  ownLog.committed = (await store.read((tx) => readHead(tx, ownLog.id))).size;
  await warnOfEarlierStore(places, log);
  const { machineBoot, folderOf } = places.journals;
  const journals: JournalPlace = { folder: folderOf(await store.read(storeIdOf)), machineBoot };
  makeJournalFolder(journals.folder);
  const { ledger, signer, isBroken } = makeLedger(options, places, { ownLog, instance, journals });
  ownLog.instance = instance;
  ownLog.onGone = options.onGone;
  store.onUnknownEnd?.(() => {
    if (ownLog.isGone) return;
    ownLog.isGone = true;
    options.onGone();
  });
  const place: InstancePlace = { store, log: ownLog, now };
  const own = { log: ownLog.id };
  const flush: Job = async () => backlog?.flush(store, ledger);
  const sweep = sweeper(place, { ledger, signer, journals }, log);
  const keepOthers: Job = async () => {
    const kept = await keepOtherHeads(store, places.heads, acceptedKeysIn(options.config.directories.state));
    if (kept.length > 0) await bindHeads(store, places.heads, places.site);
  };
  const nameOthers: Job = async () => {
    if (!isBroken()) await store.write((tx) => recordBeside(tx, { log: ownLog, instance, at: now() }), own);
  };
  await flush().catch((error) => {
    ledger.end(); // opening is tried again, with another journal
    throw error;
  });
  await sweep().catch((error) => log('warn', 'housekeeping failed:', error)); // the next sweep tries again
  const { stop } = repeat(
    [
      [LEDGER_LIMITS.lateRetryMs, flush],
      [START_LIMITS.sweepMs, sweep],
      [START_LIMITS.signMs, signer.sign],
      [START_LIMITS.signMs, keepOthers],
      [START_LIMITS.besideMs, nameOthers],
    ],
    log,
  );

  const lastRecords = async (reason: string, { drained, abandoned, unended }: EndCounts): Promise<void> => {
    await store.write((tx) => sealProcess(tx, { log: ownLog, at: now() }, instance), own);
    const leavesCalls = unended > 0 || backlog?.leavesCalls === true;
    await endInstance(place, { instance, reason, drained, abandoned }, leavesCalls);
    await signer.sign();
  };
  return {
    ledger,
    signer,
    abandon: async () => {
      await stop();
      ledger.end();
    },
    end: async (reason, counts) => {
      await stop();
      if (isBroken()) return ledger.end();
      const last = async () => {
        await backlog?.expected();
        await flush();
      };
      await last().catch((error) => log('error', 'late records are lost:', error));
      await lastRecords(reason, counts).catch((error) =>
        log('error', 'the end of this process could not be recorded:', error),
      );
      ledger.end();
    },
  };
};
