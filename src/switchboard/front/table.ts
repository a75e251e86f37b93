// The table of public tools (the tools of all servers, and the routes) by the name that clients call. The table is rebuilt whenever a server's
// tool list or health state, or the switchboard file has changed.
import type { ProxiedTool } from '../../call/context.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Alternative, ToolPlace } from '../refusal.js';
import { proxiedTool } from '../route/direct-call.js';
import type { LinksSeen, LiveServer } from '../route/live-provider.js';
import type { Routes } from '../route/routes.js';
import { NO_TOOLS, type PublicTool, type PublicTools, publicTools } from './proxy-tools.js';
import type { ArgumentChecks } from './proxy-tools-check.js';

export type ListedProxied = PublicTool['listed'];

export interface TableDeps {
  readonly routes: Routes;
  /** The running servers by name, in the order of the switchboard file. */
  readonly servers: () => ReadonlyMap<string, LiveServer>;
  readonly checks: ArgumentChecks;
  readonly nowMs: () => number;
  /** Called with the URIs of resources that a tool's result links to. */
  readonly seen: LinksSeen;
}

export class ToolTable {
  readonly #deps: TableDeps;
  /** The public tools of servers, without routes. */
  #tools: PublicTools = NO_TOOLS;
  /** What can be called now, by public name: routes and tools of servers. */
  readonly callable = new Map<string, ProxiedTool>();
  /** Tools of servers that were removed from the table a short time ago. */
  readonly gone = new Map<string, ProxiedTool>();

  constructor(deps: TableDeps) {
    this.#deps = deps;
  }

  /** Rebuilds the table from the current servers and routes. `own`: names of Colibri's own tools. */
  make(own: readonly string[]): void {
    const { routes, servers } = this.#deps;
    const before = this.#tools.list;
    this.#tools = publicTools(
      [...servers().values()].map(({ config, backend }) => {
        return { name: config.name, prefix: config.prefix, tools: backend.tools() };
      }),
      [...own, ...routes.all.map(({ name }) => name)],
    );
    this.#keepGone(before);
    this.callable.clear();
    for (const [name, route] of routes.tools()) this.callable.set(name, route);
    for (const tool of this.#tools.list) this.callable.set(tool.name, this.#proxiedTool(tool));
  }

  /**
   * Removed tools stay known for a while, so that a call gets their server's reason for the refusal. Removed routes are forgotten: a
   * route has no server that would refuse the call, so the route would go on serving.
   */
  #keepGone(before: readonly PublicTool[]): void {
    const { callable, gone } = this;
    const isBack = (name: string): boolean => this.#tools.byName.has(name);
    for (const { name } of before) {
      const tool = callable.get(name);
      if (tool !== undefined && !isBack(name)) gone.set(name, tool);
    }
    for (const name of gone.keys())
      if (gone.size > SWITCHBOARD_LIMITS.toolsPerServer || isBack(name)) gone.delete(name);
  }

  #proxiedTool(tool: PublicTool): ProxiedTool {
    const { servers, checks, nowMs, seen } = this.#deps;
    const at = servers().get(tool.server);
    if (at === undefined) throw new Error(`no server ${tool.server}`);
    return proxiedTool({ tool, at, checks, nowMs, alternatives: () => this.#alternativesTo(tool), seen });
  }

  /** The other providers of the routes that use a tool, with their public names. */
  #alternativesTo(tool: PublicTool): readonly Alternative[] {
    return this.#deps.routes.alternativesTo(tool).map((place) => ({ ...place, name: this.nameOf(place) }));
  }

  /** The public name of a server's tool; undefined if the tool is not listed. */
  nameOf(place: ToolPlace): string | undefined {
    return this.#tools.list.find((one) => one.server === place.server && one.tool === place.tool)?.name;
  }

  /** The tools and routes to list now, without those of hidden servers. */
  listed(): readonly ListedProxied[] {
    const { routes, servers } = this.#deps;
    const backends = [...servers().values()].map(({ backend }) => backend);
    const hidden = new Set(backends.filter((backend) => !backend.mayList().may).map(({ name }) => name));
    const tools = this.#tools.list.filter(({ server }) => !hidden.has(server));
    return [...routes.listed((server) => hidden.has(server)), ...tools.map(({ listed }) => listed)];
  }

  /** The tools of servers by their public names. */
  get serverTools(): ReadonlyMap<string, PublicTool> {
    return this.#tools.byName;
  }

  /** Notes about a server's renamed or left out tools, which `colibri switchboard` shows. */
  notesOf(server: string): readonly string[] {
    return this.#tools.notes.get(server) ?? [];
  }
}
