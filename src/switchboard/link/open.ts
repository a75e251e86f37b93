// A connection to a server that is up. This class is the only implementation of Link, for processes and for HTTP.
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import type { LastWords } from '../../call/answer.js';
import type { Era } from '../../call/peer.js';
import { CORE_LIMITS } from '../../core/limits.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Account, CheckSignal } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { DialTime } from './dial-try.js';
import type { Lane } from './lane.js';
import type { DeclaredTool, Link, LinkAnswer, LinkEvents, OtherList } from './link.js';
import { Listening, listsOf } from './listen.js';
import { listAll } from './lists.js';
import { type ToolHeaders, withFreshHeaders } from './tool-headers.js';

/** The part of a connection that differs between a child process and HTTP. */
export interface LinkLine {
  readonly pid: number | undefined;
  readonly noise: number;
  readonly stderr: string;
  /** The last lines of stderr without secrets; absent where there is no stderr. */
  readonly lastLines?: string | undefined;
  /** The headers that calls of the server's tools have; only for servers of protocol 2026-07-28 over HTTP. */
  readonly toolHeaders?: ToolHeaders | undefined;
  /** Checks whether the server's process runs, or whether its URL answers. */
  liveness(timeoutMs: number): Promise<LinkAnswer>;
  /** Closes the transport and ends the server's process. Resolves when both are gone; the promise never rejects. */
  end(): Promise<void>;
}

export interface OpenLinkParts {
  readonly dial: number;
  readonly client: Client;
  readonly lane: Lane;
  readonly line: LinkLine;
  readonly events: LinkEvents;
}

export class OpenLink implements Link {
  readonly dial: number;
  readonly era: Era;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  readonly pid: number | undefined;
  readonly send: Link['send'];
  readonly request: Link['request'];
  readonly #parts: OpenLinkParts;
  #listening: Listening | undefined;
  /** The URIs of the resources that are subscribed to. With servers of protocol 2026-07-28, `#watching` is the subscription. */
  #watched: readonly string[] = [];
  #watching: Listening | undefined;
  /** How the connection was lost, if it was. */
  #last: LastWords | undefined;
  #closing: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(parts: OpenLinkParts) {
    const { client } = parts;
    this.#parts = parts;
    this.dial = parts.dial;
    this.era = client.getProtocolEra() ?? 'legacy';
    this.capabilities = client.getServerCapabilities() ?? {};
    this.instructions = client.getInstructions();
    this.pid = parts.line.pid;
    const { lane, line } = parts;
    this.send =
      line.toolHeaders === undefined ? lane.send : withFreshHeaders(lane.send, line.toolHeaders, this.#relist);
    this.request = (request) => new Promise((resolve) => this.send(request, resolve));
  }

  /** Subscribes to changes first and then reads the server's tools, so that no change is missed. Rejects if the tools cannot be read. */
  async open(time: DialTime): Promise<readonly DeclaredTool[]> {
    const { client, events, lane } = this.#parts;
    const { nowMs } = lane.settings;
    const onMissed = (): void => {
      for (const list of ['tools', 'prompts', 'resources'] as const) events.listChanged(list);
    };
    if (this.era === 'modern') this.#listening = new Listening(client, listsOf(client), { nowMs, onMissed });
    try {
      return await time.spend(this.listTools(time.leftMs), () => lane.close());
    } catch (thrown) {
      this.#listening?.stop();
      throw thrown;
    }
  }

  get noise(): number {
    return this.#parts.line.noise;
  }

  get stderr(): string {
    return this.#parts.line.stderr;
  }

  async listTools(timeoutMs: number): Promise<readonly DeclaredTool[]> {
    if (this.capabilities.tools === undefined) return [];
    const tools = await listAll<DeclaredTool>('tools', this.#parts.lane, timeoutMs);
    this.#parts.line.toolHeaders?.listed(tools);
    return tools;
  }

  /** Reads the tools again because the server refused a call's headers, and reports the change: the server has not done so. */
  readonly #relist = async (): Promise<void> => {
    await this.listTools(SWITCHBOARD_LIMITS.sideRequestMs);
    this.#parts.events.listChanged('tools');
  };

  async list(what: OtherList, timeoutMs: number): Promise<readonly JsonObject[]> {
    const capability = what === 'prompts' ? 'prompts' : 'resources';
    return this.capabilities[capability] === undefined ? [] : listAll(what, this.#parts.lane, timeoutMs);
  }

  notify(method: string, params?: JsonObject): void {
    if (this.era === 'modern') return;
    const { carrier } = this.#parts.lane.settings;
    carrier.notify({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  watch(uris: readonly string[]): void {
    const before = this.#watched;
    if (isDeepStrictEqual(before, uris)) return;
    this.#watched = uris;
    if ((this.capabilities.resources as JsonObject | undefined)?.subscribe !== true) return;
    const [old, added] = [before.filter((uri) => !uris.includes(uri)), uris.filter((uri) => !before.includes(uri))];
    if (this.era === 'modern') this.#listenTo(uris);
    else {
      this.#tell('resources/unsubscribe', old);
      this.#tell('resources/subscribe', added);
    }
  }

  /** Subscribes to these resources with a new subscription, because an open subscription cannot be changed. */
  #listenTo(uris: readonly string[]): void {
    const { client, lane } = this.#parts;
    this.#watching?.stop();
    const filter = uris.length === 0 ? {} : { resourceSubscriptions: [...uris] };
    this.#watching = new Listening(client, filter, { nowMs: lane.settings.nowMs, onMissed: () => {} });
  }

  #tell(method: string, uris: readonly string[]): void {
    for (const uri of uris) void this.request({ method, params: { uri }, timeoutMs: SWITCHBOARD_LIMITS.sideRequestMs });
  }

  check(signal: Exclude<CheckSignal, 'capability'>, timeoutMs: number): Promise<LinkAnswer> {
    if (signal === 'liveness') return this.#parts.line.liveness(timeoutMs);
    return this.request({ method: this.era === 'modern' ? 'server/discover' : 'ping', timeoutMs, isCheck: true });
  }

  /** Reports the loss of the connection, but only once and not after `close`; then ends the requests in flight. */
  lose(how: Account): void {
    if (this.#ending !== undefined) return;
    const { text, said } = how;
    // Whoever hears of the loss may close the link at once: the requests in flight are to end with these words all the same.
    this.#last = { text, stderr: this.#parts.line.lastLines ?? said };
    if (this.#closing === undefined) this.#parts.events.lost(how);
    void this.#end();
  }

  close(drain: boolean): Promise<void> {
    this.#closing ??= this.#close(drain);
    if (!drain) void this.#end(); // cuts a drain short
    return this.#closing;
  }

  async #close(drain: boolean): Promise<void> {
    if (drain) await this.#parts.lane.drain(CORE_LIMITS.proxiedCallMs);
    await this.#end();
  }

  #end(): Promise<void> {
    this.#ending ??= this.#letGo();
    return this.#ending;
  }

  async #letGo(): Promise<void> {
    const { client, lane, line } = this.#parts;
    this.#listening?.stop();
    this.#watching?.stop();
    lane.close(this.#last);
    await line.end();
    // The connection is gone, so an error of the SDK's client does not matter.
    await client.close().catch(() => {});
  }
}
