// Starts a serving process in two phases and ends it in order. Phase 1: the transport is up, and the handshake, ping and health are
// answered. Phase 2: the store is open. A failure of phase 2 never ends the process.

import type { ColibriServerContext } from './call/context.js';
import { createGate, type PhaseGate } from './call/gate.js';
import type { Config } from './config.js';
import { monotonicMs, within } from './core/clock.js';
import type { WriteProofFile } from './domains/proofs/root.js';
import { Skills } from './domains/skills/skills.js';
import type { CurrentProject } from './domains/tasks/whose.js';
import type { TrailNeeds } from './domains/trail/record.js';
import type { ChainScope, ChainVerdict } from './domains/trail/verify-chain.js';
import { asError, ColibriError, ERRORS } from './errors.js';
import { Backlog } from './ledger/calls/backlog.js';
import { MODES } from './modes.js';
import { bootstrap, type CreateServerOptions } from './server.js';
import type { Identity } from './start/identity.js';
import { START_LIMITS } from './start/limits.js';
import type { Log } from './start/log-file.js';
import type { EndCounts } from './start/open-ledger.js';
import type { OpenedStore } from './start/phase2.js';
import type { NoProject, Project, StoreChoice } from './start/project.js';
import { registerRouterTools, registerTaskTools, registerTrailTools } from './start/register-tools.js';
import { sourceAt } from './start/store-source.js';
import { STORE_LIMITS } from './store/limits.js';
import { switchboardFor } from './switchboard/front/switchboard-for.js';
import type { LineTransport } from './wire/line-transport.js';

export interface StartupOptions {
  readonly config: Config;
  readonly project: Project | NoProject;
  readonly choice: StoreChoice;
  readonly log: Log;
  readonly transport: LineTransport;
  readonly createOptions?: CreateServerOptions;
  readonly exit: (code: number) => void;
}

export interface Running {
  readonly ctx: ColibriServerContext;
  /** Resolves when phase 2 (opening the store) has succeeded or failed for the first time. */
  readonly settled: Promise<void>;
  /**
   * Waits for running calls, records the end of the process, closes the store. If called again, waits for the first call, whose reason is
   * recorded.
   */
  shutdown(reason: string): Promise<void>;
}

const asStoreFault = (thrown: unknown): ColibriError =>
  thrown instanceof ColibriError
    ? thrown
    : new ColibriError('STORE_UNAVAILABLE', `The store could not be opened: ${asError(thrown).message}`, {
        cause: thrown,
      });

const worthRetrying = (fault: ColibriError): boolean => ERRORS[fault.code].retry !== 'no';

const withRetryTime = ({ code, message, retryAfterMs = START_LIMITS.phase2RetryMs, ...rest }: ColibriError) =>
  new ColibriError(code, message, { retryAfterMs, remedy: rest.remedy, details: rest.details });

/** Opens the store, and retries unless a retry cannot help: a damaged or newer store is left alone. */
class Phase2 {
  readonly #options: StartupOptions;
  readonly #ctx: ColibriServerContext;
  readonly #gate: PhaseGate;
  #retry: NodeJS.Timeout | undefined;
  #opened: OpenedStore | undefined;
  #attempt: Promise<void> = Promise.resolve();
  readonly #onOpen: (opened: OpenedStore) => void;
  #identity: Identity | undefined;

  constructor(
    options: StartupOptions,
    ctx: ColibriServerContext,
    gate: PhaseGate,
    onOpen: (opened: OpenedStore) => void,
  ) {
    this.#options = options;
    this.#ctx = ctx;
    this.#gate = gate;
    this.#onOpen = onOpen;
  }

  /** The project that tasks belong to; null until the store is open. */
  get current(): CurrentProject | null {
    const { project } = this.#options;
    return project.none || this.#identity === undefined ? null : { id: this.#identity.id, name: project.name };
  }

  /** Tries once to open the store. Resolves when that has succeeded or failed; calls are refused from the startup timeout on. */
  begin(): Promise<void> {
    const { config, log } = this.#options;
    const late = setTimeout(() => {
      const fault = new ColibriError('STORE_UNAVAILABLE', 'Opening the store takes longer than the startup timeout.', {
        remedy: 'The store is still being opened; try again in a moment.',
        retryAfterMs: STORE_LIMITS.busyRetryAfterMs,
      });
      log('warn', fault.message);
      this.#fail(fault);
    }, config.startupTimeoutMs);
    return new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(late);
        resolve();
      };
      this.#attempt = this.#open().then(end, (thrown) => {
        const fault = asStoreFault(thrown);
        log('error', 'phase 2 failed:', fault.code, fault.message, fault.remedy ?? '');
        this.#fail(fault);
        if (worthRetrying(fault)) this.#retryLater();
        end();
      });
    });
  }

  /** Verifies the open store, in threads and over its own connections. The code is loaded at first use. */
  async verify(scope: ChainScope, signal: AbortSignal): Promise<ChainVerdict | undefined> {
    const places = this.#opened?.places;
    if (places === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'The store is not open.');
    const { UnknownScope, verifyStore } = await import('./verify/verify.js');
    const { headsDir, keysDir, keyFile, site } = places;
    const keys = { dir: keysDir, ...(keyFile !== undefined && { file: keyFile }) };
    try {
      const place = { ...sourceAt(places), headsDir, host: site.host, keys };
      return { ...(await verifyStore({ ...place, scope, budgetMs: START_LIMITS.verifyCallMs, signal })), scope };
    } catch (thrown) {
      if (thrown instanceof UnknownScope) return undefined;
      throw thrown;
    }
  }

  /** Writes a proof file, in the project's `.colibri` folder or beside the open store. */
  async writeProofFile(thoughtId: string, text: string): ReturnType<WriteProofFile> {
    const places = this.#opened?.places;
    if (places === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'The store is not open.');
    const { proofFolder, writeProofFile } = await import('./start/proof-folder.js');
    return writeProofFile(proofFolder(this.#options.project, places), thoughtId, text);
  }

  async #open(): Promise<void> {
    const { log } = this.#options;
    const began = performance.now();
    const { identifyProject, openPhase2 } = await import('./start/phase2.js');
    const identity = await identifyProject(this.#options);
    this.#identity = identity;
    const { version, backlog, running, now } = this.#ctx;
    const onGone = (): void => this.#beginAnew();
    const opened = await openPhase2({ ...this.#options, identity, version, backlog, now, traffic: running, onGone });
    this.#opened = opened;
    this.#ctx.db = opened.store;
    if (opened.ledger !== undefined) this.#ctx.ledger = opened.ledger;
    if (opened.signer !== undefined) this.#ctx.signer = opened.signer;
    this.#ctx.phase = 'phase2';
    this.#onOpen(opened);
    this.#gate.open();
    log('info', `store open after ${Math.round(performance.now() - began)} ms`);
  }

  /** Others took this process for dead, or nobody can say what became of a write. Its calls wait at the gate while it opens the store as a new instance; those under way get no receipt. */
  #beginAnew(): void {
    const old = this.#opened;
    if (old === undefined) return;
    this.#opened = undefined;
    this.#options.log(
      'warn',
      'this process lost its place in the store, because its connection was cut: it begins anew',
    );
    this.#gate.wait();
    delete this.#ctx.ledger;
    delete this.#ctx.signer;
    const failed = (thrown: unknown): void => this.#options.log('warn', 'the old connections were not closed:', thrown);
    this.#attempt = old
      .abandon()
      .catch(failed)
      .then(() => this.begin());
  }

  /** Refuses calls that need the store, with the error `fault`. Callers are told when to try again, if a retry can help. */
  #fail(fault: ColibriError): void {
    if (this.#opened === undefined) this.#gate.fail(worthRetrying(fault) ? withRetryTime(fault) : fault);
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => void this.begin(), START_LIMITS.phase2RetryMs).unref();
  }

  /** Waits for a running attempt to open the store, then closes what it opened. */
  async close(reason: string, counts: EndCounts): Promise<void> {
    clearTimeout(this.#retry);
    await this.#attempt;
    clearTimeout(this.#retry);
    delete this.#ctx.ledger;
    delete this.#ctx.signer;
    await this.#opened?.close(reason, counts);
  }
}

/** Starts phase 1 (the transport), then phase 2 (the store) in the background. */
export const startup = async (options: StartupOptions): Promise<Running> => {
  const { config, transport, log, exit } = options;
  const policy = MODES[config.mode];
  const gate = createGate();
  const projectDir = options.project.none ? undefined : options.project.dir;
  const skills = new Skills({ skillsDir: config.skillsDir, projectDir, nowMs: monotonicMs, wallMs: Date.now });
  const others =
    config.toolsets.length > 1 ? (await import('./start/register-toolsets.js')).registerToolsets : undefined;
  const onQuorum = async (): Promise<void> => {
    if (config.toolsets.includes('consensus')) return;
    (await import('./start/register-toolsets.js')).registerConsensus(ctx, config);
  };
  const switchboard = switchboardFor({ config, projectDir, log, onQuorum, server: () => ctx });
  const ctx = await bootstrap({
    createOptions: {
      mode: config.mode,
      transport,
      logger: (...parts) => log('info', ...parts),
      logError: (...parts) => log('error', ...parts),
      startupTimeoutMs: config.startupTimeoutMs,
      ...options.createOptions,
    },
    exit,
    skills: policy.store === 'none' ? undefined : skills,
    prepare: (fresh) => {
      registerTaskTools(fresh, () => phase2.current, config.gates === 'on');
      // `phase2` is defined below. It exists before `verify` is called: calls that need the store wait until phase 2 is done.
      const verify: TrailNeeds['verify'] = (scope, signal) => phase2.verify(scope, signal);
      const writeProofFile: WriteProofFile = (id, text) => phase2.writeProofFile(id, text);
      const resolveSkill: TrailNeeds['resolveSkill'] = (name) => skills.resolveSkill(name);
      registerTrailTools(fresh, { verify, resolveSkill, writeProofFile }, skills);
      others?.(fresh, config);
      if (switchboard !== undefined) {
        fresh.switchboard = switchboard;
        registerRouterTools(fresh);
      }
      if (policy.store === 'none') return;
      fresh.gate = gate;
      if (policy.ledger) fresh.backlog = new Backlog();
    },
  });
  const phase2 = new Phase2(options, ctx, gate, ({ store, ledger }) => {
    if (ledger !== undefined) switchboard?.attach({ store, ledger });
  });
  const settled = policy.store === 'none' ? Promise.resolve() : phase2.begin();
  void switchboard?.begin(settled);

  const end = async (reason: string): Promise<void> => {
    log('info', `stopping: ${reason}`);
    skills.close();
    const counts = await transport.drain(config.shutdownTimeoutMs);
    // Cancelled handlers get a moment to end and to be recorded; a handler that ignores its abort signal is not waited for.
    await within(ctx.running.ended(), START_LIMITS.cancelGraceMs);
    // The switchboard is closed before the ledger, so that the end of its servers is still recorded.
    await switchboard?.close().catch((thrown: unknown) => log('error', 'switchboard:', thrown));
    await phase2.close(reason, { ...counts, unended: ctx.running.size });
    log('info', `stopped; ${counts.drained} calls drained, ${counts.abandoned} abandoned`);
  };
  let ending: Promise<void> | undefined;
  return {
    ctx,
    settled,
    shutdown: (reason) => {
      ending ??= end(reason);
      return ending;
    },
  };
};
