// Routes over servers that do as they are told, on one clock.

import { type NativeResult, REFUSAL_KEY, type RefusalResult } from '../../src/call/answer.js';
import type { RouteNote } from '../../src/proof/switchboard-records.js';
import { parseSwitchboard } from '../../src/switchboard/config/config.js';
import { ArgumentChecks } from '../../src/switchboard/route/direct-call.js';
import { type LiveRoute, Routes } from '../../src/switchboard/route/routes.js';
import { requestOf } from '../support/requests.js';
import { configOf, Rig } from './backend-rig.js';
import { FakeClock, type Manners } from './fake-link.js';

export interface RouteRigOptions {
  /** By server: its settings. */
  readonly servers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly routes: Readonly<Record<string, readonly unknown[]>>;
}

export interface Ended {
  readonly kind: string;
  readonly code: string | undefined;
  readonly sent: boolean | undefined;
  readonly result: NativeResult | undefined;
  readonly refusal: RefusalResult | undefined;
  readonly note: RouteNote;
}

export class RouteRig {
  readonly clock = new FakeClock();
  readonly rigs = new Map<string, Rig>();
  readonly routes: Routes;
  readonly lines: string[] = [];
  /** Resources that results linked to. */
  readonly links: string[] = [];
  #options: RouteRigOptions;
  #calls = 0;

  constructor(options: RouteRigOptions, manners: Readonly<Record<string, Partial<Manners>>> = {}) {
    this.#options = options;
    for (const [name, settings] of Object.entries(options.servers))
      this.rigs.set(name, new Rig(configOf(settings, name), {}, this.clock, manners[name]));
    const checks = new ArgumentChecks(() => {});
    const seen = (server: string, uris: readonly string[]): void =>
      void this.links.push(...uris.map((uri) => `${server} ${uri}`));
    const log = (_: string, text: string): void => void this.lines.push(text);
    this.routes = new Routes({ checks, nowMs: () => this.clock.now, seen, inForce: () => undefined, log });
  }

  rig(name: string): Rig {
    const found = this.rigs.get(name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  }

  /** As the switchboard does whenever something has changed. */
  look(options: Partial<RouteRigOptions> = {}): void {
    this.#options = { ...this.#options, ...options };
    const { servers, routes } = this.#options;
    const mcpServers = Object.fromEntries(
      Object.entries(servers).map(([name, settings]) => [name, { command: 'fake', ...settings }]),
    );
    const text = JSON.stringify({ mcpServers, routes });
    const config = parseSwitchboard(text, { file: 'f', env: {}, configDir: '/' });
    if (config.errors.length > 0) throw new Error(JSON.stringify(config.errors));
    const live = [...this.rigs].filter(([name]) => Object.hasOwn(servers, name));
    this.routes.look({
      config,
      servers: new Map(live.map(([name, { backend, config: own }]) => [name, { config: own, backend }])),
      own: [],
    });
  }

  /** Loads what takes real time when arguments are first checked: the clock of a test knows nothing of it. */
  async warm(): Promise<void> {
    for (const route of this.routes.all) await this.routes.check(route, {});
  }

  route(name: string): LiveRoute {
    const found = this.routes.find(name);
    if (found === undefined) throw new Error(`no route ${name}`);
    return found;
  }

  async call(name: string, args: NativeResult = {}, more: CallMore = {}): Promise<Ended> {
    this.#calls += 1;
    const request = requestOf({ id: `c${this.#calls}`, ...more });
    const { route: note, ...reply } = await this.routes.call(this.route(name), args, request);
    return {
      kind: reply.kind,
      code: reply.kind === 'refused' ? reply.code : undefined,
      sent: reply.kind === 'refused' ? reply.sent : undefined,
      result: reply.kind === 'result' ? reply.result : undefined,
      refusal: reply.kind === 'refused' ? reply.refusal : undefined,
      note,
    };
  }

  /** Servers in the order in which calls reached them. */
  get sent(): readonly string[] {
    return [...this.rigs].flatMap(([name, { sent }]) => sent.map(() => name));
  }

  get faults(): readonly string[] {
    return [...this.rigs.values()].flatMap(({ faults }) => faults);
  }
}

interface CallMore {
  readonly signal?: AbortSignal;
  readonly onProgress?: (params: NativeResult) => void;
}

/** Three servers that have started, and a route over each of their tools. */
export const threeServers = async (
  settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
  routes: Readonly<Record<string, readonly unknown[]>> = {},
): Promise<RouteRig> => {
  const all = (tool: string) => ['a', 'b', 'c'].map((server) => `${server}/${tool}`);
  const rig = new RouteRig({
    servers: { a: {}, b: {}, c: {}, ...settings },
    routes: { 'look:at': all('look'), 'act:on': all('act'), 'put:down': all('put'), ...routes },
  });
  await rig.clock.advance(20);
  rig.look();
  await rig.warm();
  return rig;
};

/** `server how code sent` of every attempt. */
export const pathOf = ({ note }: Ended): readonly string[] =>
  note.attempts.map(({ server, how, code, sent }) =>
    [server, how, code, sent ? 'sent' : undefined].filter((part) => part !== undefined).join(' '),
  );

export const detailsIn = ({ refusal }: Ended): Readonly<Record<string, unknown>> => {
  if (refusal === undefined) throw new Error('is no refusal');
  return refusal._meta[REFUSAL_KEY].error.details;
};
