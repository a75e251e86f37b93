// A backend over a fake server and a fake clock that watches what must always hold.

import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/call/answer.js';
import { cancelledBy } from '../../src/core/cancellation.js';
import { parseSwitchboard } from '../../src/switchboard/config/config.js';
import type { Transition } from '../../src/switchboard/health/event.js';
import { replay } from '../../src/switchboard/health/machine.js';
import type { DeclaredTool, LinkRequest } from '../../src/switchboard/link/link.js';
import { Backend } from '../../src/switchboard/server/backend.js';
import { InputSeal } from '../../src/switchboard/server/input-state.js';
import type { BackendConfig, BackendDeps } from '../../src/switchboard/server/world.js';
import { TABLE, type TableRow } from '../support/health-table.js';
import { FakeClock, type FakeLink, FakeServer, type Manners } from './fake-link.js';

/** A server of the configuration, as a file would have it. */
export const configOf = (
  more: Readonly<Record<string, unknown>> = {},
  name = 'fake',
  origin: 'user' | 'project' = 'user',
): BackendConfig => {
  const text = JSON.stringify({ mcpServers: { [name]: { command: 'fake', ...more } } });
  const { servers, errors } = parseSwitchboard(text, { file: 'test.json', env: {}, configDir: '/', origin });
  if (servers[0] === undefined || errors.length > 0) throw new Error(JSON.stringify(errors));
  return servers[0];
};

export class Rig {
  readonly clock: FakeClock;
  readonly server: FakeServer;
  readonly transitions: (Transition & { readonly server: string })[] = [];
  readonly changes: (readonly DeclaredTool[])[] = [];
  readonly warnings: string[] = [];
  /** What was broken of what must always hold. */
  readonly faults: string[] = [];
  readonly sent: LinkRequest[] = [];
  readonly backend: Backend;
  config: BackendConfig;
  #calls = 0;

  constructor(
    config: BackendConfig = configOf(),
    more: Partial<BackendDeps> = {},
    clock = new FakeClock(),
    manners: Partial<Manners> = {},
  ) {
    this.clock = clock;
    this.config = config;
    this.server = new FakeServer(clock);
    Object.assign(this.server.manners, manners);
    this.server.onSend = (link, request) => this.#watch(link, request);
    this.backend = new Backend(config, {
      dial: this.server.dial,
      recordedCheck: (_check, send) => send(),
      nowMs: () => clock.now,
      wallMs: () => clock.wallMs(),
      random: () => 0.5,
      setTimer: clock.setTimer,
      onTransition: (one) => this.transitions.push(one),
      onCatalogue: (tools) => this.changes.push(tools),
      warn: (message) => this.warnings.push(message),
      seal: new InputSeal(),
      client: () => undefined,
      heard: ({ capabilities, logLevel }) => ({ capabilities, logLevel }),
      ...more,
    });
  }

  /** No call to a server that may not get it, and not more at a time than allowed. */
  #watch(link: FakeLink, request: LinkRequest): void {
    const { state } = this.backend;
    this.sent.push(request);
    const isHolder = state?.state === 'PROBATION' && state.permit?.by === 'call';
    if (state?.state !== 'HEALTHY' && !isHolder) this.faults.push(`sent in ${state?.state}`);
    if (state?.state === 'HEALTHY' && (state.throttledUntil ?? 0) > this.clock.now) this.faults.push('sent in a pause');
    if (state?.dial !== link.dial || link.closed !== 'no' || link.isLate)
      this.faults.push('sent over an old connection');
    if (link.inFlight >= this.config.concurrency) this.faults.push('too many at a time');
    if (state?.state === 'PROBATION' && link.inFlight > 0) this.faults.push('two in PROBATION');
  }

  call(tool = 'act', more: { signal?: AbortSignal; args?: unknown } = {}) {
    this.#calls += 1;
    const { args = {}, signal } = more;
    return this.backend.call(tool, args, {
      id: `c${this.#calls}`,
      cancellation: signal && cancelledBy(signal),
    });
  }

  get state(): string | undefined {
    return this.backend.state?.state;
  }

  /** From everything to `ms` later. */
  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  reconfigure(config: BackendConfig): void {
    this.config = config;
    this.backend.reconfigure(config);
  }
}

/** A rig whose server has started. */
export const healthyRig = async (more: Readonly<Record<string, unknown>> = {}): Promise<Rig> => {
  const rig = new Rig(configOf(more));
  await rig.advance(20);
  return rig;
};

export const CAPABILITY = {
  health: { capability: { tool: 'probe', arguments: { check: true } } },
};

/** What became of a call, in short. */
export const codeOf = (reply: Answer): string => {
  if (reply.kind === 'refused') return `${reply.code}${reply.sent ? ' sent' : ''}`;
  return reply.kind === 'result' && reply.result.isError === true ? 'isError' : reply.kind;
};

export const detailsOf = (reply: Answer): Readonly<Record<string, unknown>> => {
  if (reply.kind !== 'refused') throw new Error(`is no refusal but ${reply.kind}`);
  return reply.refusal._meta['dev.colibri/refusal'].error.details;
};

/** Ways into each state, by what the server does. */
export const INTO = {
  STARTING: async (more = {}, manners: Partial<Manners> = {}): Promise<Rig> => {
    const rig = new Rig(configOf(more), {}, undefined, { dial: 'hang', ...manners });
    await rig.advance(20);
    return rig;
  },
  HEALTHY: (more = {}): Promise<Rig> => healthyRig(more),
  UNHEALTHY: async (more = {}): Promise<Rig> => {
    const rig = new Rig(configOf(more), {}, undefined, { dial: 'fault' });
    await rig.advance(20);
    return rig;
  },
  QUARANTINE: async (more = {}): Promise<Rig> => {
    const rig = await healthyRig(more);
    rig.server.manners.call = 'silent';
    for (let turn = 0; turn < 3; turn++) void rig.call();
    await rig.advance(50_000);
    rig.server.manners.call = 'result';
    return rig;
  },
  PROBATION: async (more = {}, manners: Partial<Manners> = {}): Promise<Rig> => {
    const rig = await INTO.QUARANTINE(more);
    Object.assign(rig.server.manners, manners);
    await rig.advance(60_020);
    return rig;
  },
};

/** Must hold whatever a test did. */
export const isSound = (rig: Rig): void => {
  expect(rig.faults).toEqual([]);
  expect(rig.warnings).toEqual([]);
  expect(replay(rig.transitions)).toEqual([]);
};

/** One test for each row of the table that begins in one of these states. */
export const walkRows = (from: readonly TableRow['from'][], walks: readonly (() => Promise<Rig>)[]): void =>
  void describe('the table, row by row', () => {
    const rows = TABLE.filter((row) => from.includes(row.from));
    it('no row is left out', () => expect(walks).toHaveLength(rows.length));
    for (const [index, row] of rows.entries())
      it(`${row.from}: ${row.when}`, async () => {
        const rig = await walks[index]?.();
        if (rig === undefined) throw new Error('no such row');
        isSound(rig);
        const closing = rig.backend.close();
        await rig.advance(20_000);
        await closing;
        expect(rig.clock.timers.size).toBe(0);
      });
  });
