// The table of public tools (the tools of all servers, and the routes) by the name that clients call. The table is rebuilt whenever a server's
// tool list or health state, or the switchboard file has changed.
import type { ProxiedTool } from '../../call/context.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { type NameNote, type PublicName, publicNames } from '../names.js';
import type { Alternative, ToolPlace } from '../refusal.js';
import { proxiedTool } from '../route/direct-call.js';
import { isAskedByClient, type LiveServer, markedForClient, type RouteWorld } from '../route/live-provider.js';
import type { Routes } from '../route/routes.js';
import type { SchemaObject } from '../schema-node.js';

export type ListedProxied = PublicTool['listed'];

export interface TableDeps extends RouteWorld {
  readonly routes: Routes;
  /** The running servers by name, in the order of the switchboard file. */
  readonly servers: () => ReadonlyMap<string, LiveServer>;
}

export interface PublicTool extends PublicName {
  readonly inputSchema: SchemaObject;
  /** The tool's definition as clients get it, under its public name. */
  readonly listed: { readonly name: string; readonly [key: string]: unknown };
}

const WHY: Readonly<Record<NameNote['why'], string>> = {
  cut: 'its name was too long',
  changed: 'its name has characters that clients do not accept',
  taken: 'its name was taken',
  prefixed: 'its own name was taken',
  repeated: 'it is listed twice',
  'too many tools': 'the server lists too many tools',
};

export class ToolTable {
  readonly #deps: TableDeps;
  /** The tools of servers by their public names, without routes, in the order of `tools/list`. */
  serverTools: ReadonlyMap<string, PublicTool> = new Map();
  /** The routes and tools of servers that can be called now, by public name. */
  readonly callable = new Map<string, ProxiedTool>();
  /** Tools of servers that were removed from the table a short time ago. */
  readonly gone = new Map<string, ProxiedTool>();
  #notes: readonly NameNote[] = [];
  /** The public tools by server and tool. */
  #places: ReadonlyMap<string, PublicTool> = new Map();

  constructor(deps: TableDeps) {
    this.#deps = deps;
  }

  /** Rebuilds the table from the current servers and routes. `own`: names of Colibri's own tools. */
  make(own: readonly string[]): void {
    const { routes } = this.#deps;
    const servers = this.#deps.servers();
    const { list, notes } = publicNames(
      [...servers.values()].map(({ config: { name, prefix }, backend }) => {
        return { name, prefix, tools: [...backend.tools().keys()] };
      }),
      [...own, ...routes.all.map(({ name }) => name)],
    );
    const before = [...this.serverTools.keys()];
    this.#notes = notes;
    this.serverTools = new Map(
      list.flatMap((one) => {
        const definition = servers.get(one.server)?.backend.tools().get(one.tool)?.definition;
        if (definition === undefined) return [];
        const inputSchema = definition.inputSchema as SchemaObject;
        const asksItself = isAskedByClient(servers.get(one.server), one.tool);
        const listed = { ...(asksItself ? markedForClient(definition) : definition), name: one.name };
        return [[one.name, { ...one, inputSchema, listed }]];
      }),
    );
    this.#places = new Map([...this.serverTools.values()].map((one) => [JSON.stringify([one.server, one.tool]), one]));
    this.#keepGone(before);
    this.callable.clear();
    for (const [name, route] of routes.tools()) this.callable.set(name, route);
    for (const [name, tool] of this.serverTools) this.callable.set(name, this.#proxiedTool(tool));
  }

  /**
   * Keeps tools that were removed for a while, so that a call to one is refused with its server's reason. Removed routes are not kept: a
   * route has no server that would refuse the call, so a removed route would still serve calls.
   */
  #keepGone(before: readonly string[]): void {
    const { callable, gone, serverTools } = this;
    for (const name of before) {
      const tool = callable.get(name);
      if (tool !== undefined && !serverTools.has(name)) gone.set(name, tool);
    }
    for (const name of gone.keys())
      if (gone.size > SWITCHBOARD_LIMITS.toolsPerServer || serverTools.has(name)) gone.delete(name);
  }

  #proxiedTool(tool: PublicTool): ProxiedTool {
    const { servers, checks, nowMs, seen, inForce } = this.#deps;
    const at = servers().get(tool.server);
    if (at === undefined) throw new Error(`no server ${tool.server}`);
    return proxiedTool({ tool, at, checks, nowMs, alternatives: () => this.#alternativesTo(tool), seen, inForce });
  }

  /** The other providers of the routes that use a tool, with their public names. */
  #alternativesTo(tool: PublicTool): readonly Alternative[] {
    return this.#deps.routes.alternativesTo(tool).map((place) => ({ ...place, name: this.nameOf(place) }));
  }

  /** The public name of a server's tool; undefined if the tool is not listed. */
  nameOf(place: ToolPlace): string | undefined {
    return this.at(place)?.name;
  }

  /** The public tool at a place; undefined if the tool has no public name. */
  at(place: ToolPlace): PublicTool | undefined {
    return this.#places.get(JSON.stringify([place.server, place.tool]));
  }

  /** The tools and routes to list now, without those of servers that are hidden because they do not work. */
  listed(): readonly ListedProxied[] {
    const { routes, servers } = this.#deps;
    const backends = [...servers().values()].map(({ backend }) => backend);
    const hidden = new Set(backends.filter((backend) => !backend.mayList().may).map(({ name }) => name));
    const tools = [...this.serverTools.values()].filter(({ server }) => !hidden.has(server));
    return [...routes.listed((server) => hidden.has(server)), ...tools.map(({ listed }) => listed)];
  }

  /** Notes about tools of a server that were renamed or left out. The command `colibri switchboard` shows them. */
  notesOf(server: string): readonly string[] {
    return this.#notes
      .filter((note) => note.server === server)
      .map(({ tool, name, why }) => `${tool}: ${WHY[why]}; ${name === null ? 'left out' : `listed as ${name}`}`);
  }
}
