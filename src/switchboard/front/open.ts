// Builds the switchboard of one process from its parts: files, consent, connections, stored tool lists (catalogues), records. This module is
// not loaded before there is a switchboard file.

import { isDeepStrictEqual } from 'node:util';
import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { OwnCheck } from '../../call/context.js';
import type { LogLevel } from '../../config.js';
import { awakeTimer, type Clock, monotonicMs } from '../../core/clock.js';
import { append } from '../../ledger/ledger.js';
import { appendKept } from '../../ledger/payload.js';
import { asName } from '../../redact/redact.js';
import { Approver } from '../approval/approver.js';
import { clientProcesses } from '../approval/lineage.js';
import { approvalsFile } from '../config/approvals.js';
import { baselinesFolder, projectKey } from '../config/baselines.js';
import type { ServerConfig, SwitchboardConfig } from '../config/config.js';
import { SwitchboardFiles } from '../config/followed-files.js';
import { ordersFile, ordersFor } from '../config/orders.js';
import { type PlaceQuestion, switchboardPlaces } from '../config/place.js';
import { secretsFile } from '../config/secrets.js';
import type { Environment } from '../config/variables.js';
import { watchFiles } from '../config/watch-files.js';
import { definitionOf } from '../definition.js';
import type { Transition } from '../health/event.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { dialFor } from '../link/dial.js';
import type { AnswerServer, DialDeps } from '../link/dial-try.js';
import { GroupNotes } from '../link/group-notes.js';
import type { Dial } from '../link/link.js';
import { processTable } from '../link/process-table.js';
import { Watchdog } from '../link/watchdog.js';
import { ServerLogs } from '../logs/server-logs.js';
import { expireDue } from '../records/approval-repository.js';
import { rememberTools } from '../records/catalogue-repository.js';
import { recordConfig } from '../records/config.js';
import { keepDefinition } from '../records/definition-repository.js';
import { Eras } from '../records/eras.js';
import { healthEntry } from '../records/health.js';
import { StatesWriter } from '../records/states.js';
import { type Books, RecordsWriter } from '../records/writer.js';
import type { ToolPlace } from '../refusal.js';
import { askable } from '../relay/crossings.js';
import { Backend } from '../server/backend.js';
import { InputSeal } from '../server/input-state.js';
import type { AsksPeople, BackendDeps } from '../server/world.js';
import { Baselines } from './baselines.js';
import { Catalogues } from './catalogues.js';
import { CheckCalls } from './check-call.js';
import { Switchboard } from './switchboard.js';

/** Stands for the definition of a tool that has no RFC 8785 text. */
const NO_DEFINITION = '0'.repeat(64);

export interface SwitchboardOptions {
  readonly question: PlaceQuestion;
  readonly env: Environment;
  readonly stateDir: string;
  /** True if a later start of Colibri can end servers that this process leaves behind. */
  readonly outlives: boolean;
  /** Registers the tools with which voters decide. Called once, when a server's calls first need voters. */
  readonly onQuorum: () => Promise<void>;
  /** Whether the arguments of calls are kept (COLIBRI_AUDIT_PAYLOADS). */
  readonly keepsArguments: boolean;
  /** True if servers have logs in the state directory. */
  readonly logs: boolean;
  readonly version: string;
  readonly now: Clock;
  readonly log: (level: LogLevel, text: string) => void;
  readonly ownNames: () => readonly string[];
  /** Returns the function that runs a capability check through the five stages of a call; undefined until those stages are set up. */
  readonly ownCheck: () => ((check: OwnCheck) => Promise<void>) | undefined;
}

export class RunningSwitchboard {
  readonly tools: Switchboard;
  readonly #options: SwitchboardOptions;
  readonly #records: RecordsWriter;
  readonly #states: StatesWriter;
  readonly #eras: Eras;
  readonly #files: SwitchboardFiles;
  readonly #watchdog: Watchdog;
  readonly #dialDeps: DialDeps;
  readonly #seal = new InputSeal();
  readonly #checks: CheckCalls;
  readonly #logs: ServerLogs | undefined;
  readonly #catalogues: Catalogues;
  readonly #baselines: Baselines;
  readonly #asksPeople: AsksPeople;
  #routes: SwitchboardConfig['routes'] = [];
  #unwatch = (): void => {};
  #unwatchOrders = (): void => {};
  /** The orders of persons that were obeyed. */
  readonly #obeyed = new Set<string>();
  #instance: string | undefined;
  #voting: Promise<void> | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #missed: NodeJS.Timeout | undefined;

  constructor(options: SwitchboardOptions) {
    this.#options = options;
    const { env, version, now, stateDir, outlives } = options;
    this.#files = new SwitchboardFiles(options);
    const project = projectKey(options.question.projectDir);
    this.#baselines = new Baselines({ stateDir, project, now, warn: this.#warn });
    this.#asksPeople = this.#makeApprover(options, project);
    const notes = { stateDir, table: processTable(), warn: this.#warn };
    this.#watchdog = new Watchdog(outlives ? new GroupNotes(notes) : undefined);
    this.#records = new RecordsWriter({ now, warn: this.#warn });
    this.#eras = new Eras(this.#records);
    const records = this.#records;
    this.#catalogues = new Catalogues({ records, stateDir, capabilities: () => this.#capabilities });
    this.#logs = options.logs ? new ServerLogs({ stateDir, warn: this.#warn, wallMs: Date.now }) : undefined;
    const identity = { name: 'colibri', version };
    const [watchdog, eras] = [this.#watchdog, this.#eras];
    const capabilities = (): ClientCapabilities => this.#capabilities;
    this.#dialDeps = { env, watchdog, eras, identity, capabilities, nowMs: monotonicMs, epochMs: Date.now };
    this.tools = this.#makeTools(options);
    const nameOf = (place: ToolPlace) => this.tools.table.nameOf(place);
    this.#checks = new CheckCalls({ run: options.ownCheck, nameOf, wallMs: Date.now });
    this.#states = new StatesWriter(() => this.#shown(), now);
  }

  #makeApprover({ now, keepsArguments }: SwitchboardOptions, project: string): AsksPeople {
    // Read once, at the start: the client may have ended when somebody answers.
    const asker = clientProcesses();
    const approver = new Approver({
      books: () => this.#records.books,
      client: () => this.tools.client,
      asker: () => asker,
      ...{ now, wallMs: Date.now, project, keepsArguments, warn: this.#warn },
    });
    return {
      judge: (asked) => approver.judge(asked),
      definitionOf: (server, tool) => {
        const listed = this.tools.table.at({ server, tool })?.listed ?? { name: tool };
        return definitionOf(listed)?.digest ?? NO_DEFINITION;
      },
      isFlagged: (name) => this.tools.isFlagged(name),
    };
  }

  /** The capabilities of the connected client: which MCP requests servers may send to it. */
  get #capabilities(): ClientCapabilities {
    return this.tools.client === undefined ? {} : askable(this.tools.client);
  }

  readonly #warn = (message: string): void => this.#options.log('warn', message);

  #makeTools({ ownNames, log }: SwitchboardOptions): Switchboard {
    return new Switchboard({
      read: () => this.#files.read(),
      consent: () => this.#files.consent(),
      makeBackend: (server, remembered) => {
        const isGuess = this.#catalogues.isGuess(server);
        return new Backend(server, { ...this.#backendDeps(server), remembered, isGuess });
      },
      renewal: (server, remembered) => {
        return { dial: this.#dial(server), remembered, isGuess: this.#catalogues.isGuess(server) };
      },
      remembered: (server) => this.#catalogues.remembered(server),
      onConfig: (config, changes) => {
        const areRoutesSame = isDeepStrictEqual(config.routes, this.#routes);
        this.#routes = config.routes;
        if (config.servers.some(({ ask }) => ask.quorum !== null)) this.#haveVotes();
        if (!areRoutesSame || changes.some(({ change }) => change !== 'same'))
          recordConfig(this.#records, config, changes);
      },
      ownNames,
      keepDefinition: (definition) => this.#records.add((tx, to) => keepDefinition(tx, definition, to)),
      nowMs: monotonicMs,
      log,
    });
  }

  /** Has the tools of voters listed, and tells clients that were given a list without them. */
  #haveVotes(): void {
    this.#voting ??= this.#options.onQuorum().then(
      () => this.tools.announcer.added(),
      (thrown: unknown) => this.#warn(`the tools of voters cannot be listed: ${String(thrown)}`),
    );
  }

  /** Resolves when Colibri's own tools that the switchboard file needs are registered. */
  get ready(): Promise<void> {
    return this.#voting ?? Promise.resolve();
  }

  #dial(server: ServerConfig): Dial {
    const onServerRequest: AnswerServer = async (...asked) => {
      const running = this.tools.servers.all.get(server.name);
      if (running === undefined) throw new Error(`no server ${server.name}`);
      return running.backend.answer(...asked);
    };
    return dialFor(server, { ...this.#dialDeps, onServerRequest, serverLog: this.#logs?.of(server) });
  }

  #backendDeps(server: ServerConfig): Omit<BackendDeps, 'remembered'> {
    const { relay, servers } = this.tools;
    /** Returns the running server; undefined while the server is being added, and after it was removed. */
    const running = () => servers.all.get(server.name);
    return {
      dial: this.#dial(server),
      recordedCheck: this.#checks.record,
      seal: this.#seal,
      client: () => this.tools.client,
      heard: (peer) => relay.heard(peer),
      onDialled: () => relay.dialled(running()),
      onListChanged: (what) => relay.changed(running(), what),
      onNotified: (method, params) => relay.notified(running(), method, params),
      nowMs: monotonicMs,
      wallMs: Date.now,
      random: Math.random,
      setTimer: (ms, fire) => awakeTimer(ms, fire, { unref: true }),
      warn: this.#warn,
      baselines: this.#baselines,
      approver: this.#asksPeople,
      onTransition: (transition) => this.#moved(transition.server, transition),
      onAsked: ({ server: asking, method, call }) =>
        this.#records.add((tx, { log, instance, at }) =>
          append(tx, log, [{ at, record: { kind: 'asked', instance, server: asName(asking), method, call } }]),
        ),
      onCatalogue: (tools) => {
        const key = this.#catalogues.keyOf(running()?.config ?? server);
        this.#records.add((tx, to) => rememberTools(tx, key, tools, to));
        this.#refreshSoon();
      },
    };
  }

  #moved(server: string, transition: Transition): void {
    const { from, to, reason } = transition;
    const why = reason === null ? '' : `, ${reason.text}`;
    this.#options.log('info', `${server}: ${from} → ${to ?? 'removed'}${why}`);
    this.#logs?.moved(server, transition);
    this.#records.add((tx, { log, instance, at }) =>
      appendKept(tx, log, [healthEntry(instance, server, transition, at)]),
    );
    this.#refreshSoon();
  }

  /** Refreshes the list of tools a moment later (as a microtask), because the server that reports a change has not finished it yet. */
  #refreshSoon(): void {
    queueMicrotask(() => {
      this.tools.refresh();
      this.#states.soon();
    });
  }

  /** Whether a switchboard file is in use. */
  get isThere(): boolean {
    return this.#files.isThere;
  }

  #shown() {
    return {
      file: this.#files.path,
      isThere: this.#files.isThere,
      problems: this.tools.servers.problems,
      routes: this.tools.routes.notes,
      rows: this.tools.servers.backends.map((backend) => backend.snapshot()),
      notesOf: (server: string) => [...this.#files.notesOf(server), ...this.tools.table.notesOf(server)],
    };
  }

  /** Removes the secret values of all servers from a text. */
  hide(text: string): string {
    return this.#logs?.hide(text) ?? text;
  }

  /** Called when the ledger is open: from then on servers' tool lists are stored and records are written. */
  async attach(books: Books): Promise<void> {
    this.#instance = books.ledger.instance;
    const warn = (what: string) => (thrown: unknown) => this.#warn(`${what}: ${String(thrown)}`);
    await this.#eras.load(books).catch(warn('the protocol eras of servers are not remembered'));
    this.#records.open(books);
    this.#records.add((tx, { log, at }) => expireDue(tx, { log, at }));
    await this.#states.open(books).catch(warn('the states of servers are not shown'));
  }

  /** Starts the servers, and applies the switchboard file again whenever the file changes. */
  async begin(): Promise<void> {
    const { question, stateDir } = this.#options;
    const files = switchboardPlaces(question).map(({ file }) => file);
    const state = [approvalsFile(stateDir), secretsFile(stateDir), baselinesFolder(stateDir)];
    this.#unwatch = watchFiles([...files, ...state], () => this.#changed());
    this.#unwatchOrders = watchFiles([ordersFile(stateDir)], () => this.#obey());
    // A timer is needed to hide the tools of a server that stays unavailable: no event reports when to hide them.
    this.#ticking = setInterval(() => this.tools.refresh(), SWITCHBOARD_LIMITS.statesMs).unref();
    await this.#apply();
  }

  /** Does what persons' commands ask of this process. */
  #obey(): void {
    if (this.#instance === undefined) return;
    for (const { id, server, what, by } of ordersFor(this.#options.stateDir, this.#instance, Date.now())) {
      if (this.#obeyed.has(id)) continue;
      this.#obeyed.add(id);
      this.tools.servers.all.get(server)?.backend.obey(what, asName(by));
    }
  }

  /** Applies changed switchboard files. If a file is missing, waits a moment first, because an editor may be replacing the file. */
  #changed(): void {
    const failed = (thrown: unknown): void => this.#warn(`the file could not be applied: ${String(thrown)}`);
    const apply = (): void => void this.#apply().catch(failed);
    clearTimeout(this.#missed);
    if (this.#files.hasGone) this.#missed = setTimeout(apply, SWITCHBOARD_LIMITS.switchboardGoneMs).unref();
    else apply();
  }

  async #apply(): Promise<void> {
    this.#files.choose();
    this.#baselines.forget();
    await this.tools.servers.apply();
    for (const backend of this.tools.servers.backends) backend.review();
    this.#states.soon();
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#unwatchOrders();
    clearInterval(this.#ticking);
    clearTimeout(this.#missed);
    await this.tools.close();
    await this.#checks.ended();
    await this.#watchdog.close();
    await this.#states.close();
    await this.#records.flush();
  }
}
