// Connects one server to its health machine: turns what happens into events for the machine, and carries out the machine's effects by opening
// and closing connections and sending checks. It has the queue of calls; call.ts runs a call.
import { isDeepStrictEqual } from 'node:util';
import { type ApprovedTools, byToolName } from '../config/baselines.js';
import { isEmptied } from '../health/cell.js';
import { accountWithoutSecrets } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DeclaredTool, Dial, DialEnd, Link, LinkAnswer } from '../link/link.js';
import type { ToolChanged } from '../tool-change.js';
import { type AskedCheck, ask, capabilityFault, checkEvent, NOT_SENT, settingsFor } from './checks.js';
import { Connections } from './connections.js';
import { Driver } from './driver.js';
import { CallQueue } from './queue.js';
import { type Listable, StoredCatalogue } from './stored-catalogue.js';
import { type BackendConfig, type BackendDeps, changeBetween, holdOf, type Renewal } from './world.js';

/** How many tools the server is known to have listed for this client; null if that is not known. */
const sizeOf = ({ remembered, isGuess }: Pick<Renewal, 'remembered' | 'isGuess'>): number | null =>
  isGuess === true ? null : (remembered?.length ?? null);

const NOTHING_HELD: ReadonlyMap<string, ToolChanged> = new Map();

const NEVER = Number.NEGATIVE_INFINITY;

/** The tool and the arguments of the capability check, without its times, which may change without the user's consent. */
const checkOf = ({ health: { capability } }: BackendConfig): unknown[] => [capability?.tool, capability?.arguments];

export class ServerLife {
  config: BackendConfig;
  readonly driver: Driver;
  readonly queue: CallQueue;
  readonly connections: Connections;
  readonly catalogue: StoredCatalogue;
  /** The server's tools that may be listed now, and notes about them for the user. */
  listing: Listable = { tools: new Map(), notes: [], leftOut: [] };
  /** The tools that changed since a person approved them, or appeared, and wait for approval. */
  held: ReadonlyMap<string, ToolChanged> = NOTHING_HELD;
  /** What tools changed while this process ran: notes for the board. */
  #changed = new Map<string, string>();
  readonly #deps: BackendDeps;
  #dial: Dial;
  #fault: string | null = null;
  /** The time at which the last capability check began, in milliseconds of the monotonic clock. */
  #checkedMs = NEVER;

  constructor(config: BackendConfig, deps: BackendDeps) {
    this.config = config;
    this.#deps = deps;
    this.#dial = deps.dial;
    this.catalogue = new StoredCatalogue(deps.remembered);
    this.driver = this.#makeDriver();
    this.connections = new Connections(deps, {
      dialled: (dial, end) => this.#dialled(dial, end),
      lost: (dial, how) => void this.driver.give({ type: 'lost', dial, ...accountWithoutSecrets(how) }),
      listed: (dial, tools) => this.#listed(dial, tools),
    });
    this.queue = new CallQueue(this, deps);
    this.#review();
    const settings = settingsFor(config, this.catalogue);
    this.driver.start({ settings, hold: holdOf(config), catalogueSize: sizeOf(deps) });
  }

  get link(): Link | undefined {
    return this.driver.state === null ? undefined : this.connections.links.get(this.driver.state.dial);
  }

  /** Applies a changed switchboard file. Until a changed connection is open, its stored tool list is used or, without one, the old list. */
  reconfigure(config: BackendConfig, renewal: Renewal): void {
    const { dial, remembered } = renewal;
    const change = changeBetween(this.config, config);
    if (change === 'removed') return void this.remove();
    // A changed capability check may run at once, without the pause since the last check: in a project's file the user has approved it.
    if (!isDeepStrictEqual(checkOf(config), checkOf(this.config))) this.#checkedMs = NEVER;
    this.config = config;
    this.#dial = dial ?? this.#dial;
    if (change === 'connection' && remembered !== undefined) this.#accept(remembered);
    if (this.link !== undefined) this.#firstSight(this.catalogue.declared());
    this.#review();
    const settings = settingsFor(config, this.catalogue);
    const catalogueSize = sizeOf(renewal);
    if (change === 'connection')
      this.driver.give({ type: 'connection_changed', settings, hold: holdOf(config), catalogueSize });
    else if (change === 'settings') this.driver.give({ type: 'settings_changed', settings });
  }

  remove(): Promise<void> {
    this.driver.give({ type: 'removed' });
    return this.connections.ended(this.#drainMs + SWITCHBOARD_LIMITS.linkCloseMs);
  }

  close(): Promise<void> {
    this.driver.stop();
    this.connections.closeAll();
    return this.connections.ended(SWITCHBOARD_LIMITS.linkCloseMs);
  }

  /** How many milliseconds a connection that is being closed waits for its calls: as long as a call that was just sent may take. */
  get #drainMs(): number {
    return this.config.timeoutMs + SWITCHBOARD_LIMITS.linkDrainGraceMs;
  }

  #makeDriver(): Driver {
    return new Driver(this.#deps, {
      record: ({ do: _do, ...transition }) => this.#deps.onTransition({ ...transition, server: this.config.name }),
      close: ({ dial, drain }) => this.connections.close(dial, drain ? this.#drainMs : 0),
      dial: ({ dial }) => this.connections.open(dial, this.config.health.startTimeoutMs, this.#dial),
      check: (asked) => void this.#check(asked),
      settled: () => this.queue.look(),
    });
  }

  #dialled(dial: number, end: DialEnd): void {
    const { driver } = this;
    if ('link' in end) {
      this.#read(end.tools);
      driver.give({ type: 'dialled', dial, catalogueSize: end.tools.length });
      if (this.link === end.link) this.#deps.onDialled?.();
    } else if ('fault' in end)
      driver.give({ type: 'dial_failed', dial, fault: end.fault, ...accountWithoutSecrets(end) });
    else if ('auth' in end) driver.give({ type: 'auth_required', dial, during: 'dial', status: end.auth });
    else driver.give({ type: 'throttled', dial, during: 'dial', retryAfterMs: end.throttled });
  }

  #listed(dial: number, tools: readonly DeclaredTool[]): void {
    this.#read(tools);
    this.driver.give({ type: 'catalogue_changed', dial, catalogueSize: tools.length });
  }

  /**
   * Takes over a new tool list before the health machine gets the event, because a tool's annotations in it decide whether the capability
   * check may run. If the new list is empty and the old one was not, the old one stays: the machine will treat this as a fault.
   */
  #read(tools: readonly DeclaredTool[]): void {
    const { state } = this.driver;
    if (state === null || isEmptied(state, tools.length)) return;
    this.#firstSight(byToolName(tools));
    const before = this.catalogue.digest === null ? undefined : this.catalogue.declared();
    if (!this.#accept(tools)) return;
    if (before !== undefined) this.#noteChanges(before);
    this.#review();
    const settings = settingsFor(this.config, this.catalogue);
    if (!isDeepStrictEqual(settings, state.settings)) this.driver.give({ type: 'settings_changed', settings });
  }

  /** Of a server whose changes are held: what it lists when it is first seen counts as approved. */
  #firstSight(tools: ApprovedTools): void {
    const { onChange, name } = this.config;
    const { baselines } = this.#deps;
    if (onChange === 'hold' && baselines !== undefined && baselines.of(name) === undefined)
      baselines.begin(name, tools);
  }

  #noteChanges(before: ReadonlyMap<string, unknown>): void {
    const at = new Date(this.#deps.wallMs()).toISOString();
    for (const [tool, { what }] of this.catalogue.changesSince(before))
      this.#changed.set(tool, `${tool.toWellFormed()}: changed at ${at}: ${what.join(', ')}`);
  }

  /** Looks again which tools wait for approval. To be called when a person has approved some. */
  review(): void {
    this.#review();
  }

  #accept(tools: readonly DeclaredTool[]): boolean {
    if (!this.catalogue.accept(tools)) return false;
    try {
      this.#deps.onCatalogue(tools);
    } catch (thrown) {
      this.#deps.warn(`a change of its catalogue was not applied: ${String(thrown)}`);
    }
    return true;
  }

  /** Updates the tools that may be listed, and the notes about them, after a change of the tool list or the configuration. */
  #review(): void {
    const isKnown = this.catalogue.digest !== null;
    const fault = isKnown ? capabilityFault(this.config, this.catalogue) : null;
    if (fault !== null && fault !== this.#fault) this.#deps.warn(fault);
    this.#fault = fault;
    const { tools, notes, leftOut } = this.catalogue.safe(this.config);
    for (const note of leftOut) if (!this.listing.leftOut.includes(note)) this.#deps.warn(note);
    const approved = this.config.onChange === 'hold' ? this.#deps.baselines?.of(this.config.name) : undefined;
    this.held = approved === undefined ? NOTHING_HELD : this.catalogue.changesSince(approved);
    const waiting = [...this.held].map(
      ([tool, { what }]) => `${tool.toWellFormed()}: held, it changed since it was approved: ${what.join(', ')}`,
    );
    const changed = approved === undefined ? [...this.#changed.values()] : [];
    const all = [...(fault === null ? [] : [fault]), ...waiting, ...changed, ...notes];
    this.listing = { tools, notes: all.slice(0, SWITCHBOARD_LIMITS.serverNotes), leftOut };
  }

  async #check(asked: AskedCheck): Promise<void> {
    const isCalled = (): boolean => this.queue.inFlight(asked.dial) > 0;
    const wasCalled = isCalled();
    // Liveness and readiness checks pass with any well-formed answer, even an error.
    const expect = (asked.signal === 'capability' && this.config.health.capability?.expect) || 'answer';
    const answer = await this.#answer(asked);
    // The answer is undefined if the capability check was not sent, because it could not be recorded or was too soon after the last one.
    if (answer === undefined) return;
    this.driver.give(checkEvent(asked, answer, { expect, callInFlight: wasCalled || isCalled() }));
  }

  async #answer({ dial, signal }: AskedCheck): Promise<LinkAnswer | undefined> {
    const { name: server, health } = this.config;
    const link = (): Link | undefined => this.connections.links.get(dial);
    if (signal !== 'capability') return ask(() => link()?.check(signal, health[signal].timeoutMs));
    if (health.capability === null) return NOT_SENT;
    const { tool, arguments: args, timeoutMs, leastMs = 0 } = health.capability;
    // It is too soon after the last capability check. The health machine asks again later; readiness checks can end PROBATION meanwhile.
    if (this.#deps.nowMs() - this.#checkedMs < leastMs) return undefined;
    this.#checkedMs = this.#deps.nowMs();
    const check = { server, tool, args, timeoutMs, state: this.driver.state?.state ?? null };
    const request = { method: 'tools/call', params: { name: tool, arguments: args }, timeoutMs };
    try {
      // The capability check does not go through the queue of calls: if PROBATION permits only one request, the health machine has chosen
      // this check.
      return await this.#deps.recordedCheck(check, () => ask(() => link()?.request(request)));
    } catch (thrown) {
      this.#deps.warn(`a check was not recorded: ${String(thrown)}`);
      return undefined;
    }
  }
}
