// Merges the prompts and resources of all servers into one list, and finds the server of a prompt or resource. The servers' lists are kept in
// memory (server/directory.ts), so no request waits for a server.
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { publicNames } from '../names.js';
import { hasInOrder } from '../tool-filter.js';
import { type RelayedServer, type RelayTarget, RpcFailure, textMember } from './request.js';

export class PromptsAndResources {
  /** The servers in the order of the switchboard file. */
  readonly #servers: () => readonly RelayedServer[];
  /** For each resource URI that a server's result has linked to, the name of that server; the oldest link comes first. */
  readonly #seen = new Map<string, string>();

  constructor(servers: () => readonly RelayedServer[]) {
    this.#servers = servers;
  }

  /** All prompts under their public names, which are made by the same rules as public names of tools. */
  prompts(): readonly JsonObject[] {
    const all = new Map(this.#servers().map(({ config, directory }) => [config.name, directory.entries.prompts]));
    return this.#promptNames().list.flatMap(({ name, server, tool }) => {
      const prompt = all.get(server)?.find((one) => one.name === tool);
      return prompt === undefined ? [] : [{ ...prompt, name }];
    });
  }

  #promptNames() {
    const named = this.#servers().map(({ config: { name, prefix }, directory }) => {
      return { name, prefix, tools: directory.entries.prompts.map((prompt) => String(prompt.name)) };
    });
    return publicNames(named, []);
  }

  resources(): readonly JsonObject[] {
    return this.#all('resources', 'uri');
  }

  templates(): readonly JsonObject[] {
    return this.#all('resourceTemplates', 'uriTemplate');
  }

  /** The entries of one list of all servers. A URI that two servers list is listed once, for the first server in the switchboard file. */
  #all(list: 'resources' | 'resourceTemplates', key: string): readonly JsonObject[] {
    const entries = this.#servers().flatMap(({ directory }) => directory.entries[list]);
    return [...new Map(entries.toReversed().map((entry) => [entry[key], entry])).values()].reverse();
  }

  /** Finds the server of a prompt by its public name; in the returned params the prompt has the name that its server gives it. */
  prompt(params: JsonObject, name: string): RelayTarget {
    const found = this.#promptNames().byName.get(name);
    const server = this.#servers().find(({ config }) => config.name === found?.server);
    if (found === undefined || server === undefined)
      throw new RpcFailure(RPC.invalidParams, `There is no prompt ${name}`);
    return { server, params: { ...params, name: found.tool } };
  }

  resource(params: JsonObject): RelayTarget {
    const uri = textMember(params, 'uri');
    const server = this.ownerOf(uri);
    if (server === undefined) throw new RpcFailure(RPC.notFound, `There is no resource ${uri}`, { uri });
    return { server, params };
  }

  /**
   * The server that a resource URI belongs to: one that lists the URI, else one with a template for it, else the one that linked to it in a
   * result, else the first server with resources. If links counted first, a server could take over a resource by linking to it.
   */
  ownerOf(uri: string): RelayedServer | undefined {
    const servers = this.#servers();
    const linked = this.#seen.get(uri);
    return (
      servers.find(({ directory }) => directory.entries.resources.some((resource) => resource.uri === uri)) ??
      servers.find(({ directory }) => directory.entries.resourceTemplates.some((one) => fits(one.uriTemplate, uri))) ??
      servers.find(({ config }) => config.name === linked) ??
      servers.find(({ backend }) => backend.link?.capabilities.resources !== undefined)
    );
  }

  /** Remembers that a result of a server linked to these URIs. A URI belongs to the first server that linked to it, until that server is removed. */
  seen(server: string, uris: readonly string[]): void {
    const others = new Set(this.#servers().map(({ config }) => config.name));
    others.delete(server);
    for (const uri of uris) {
      if (others.has(this.#seen.get(uri) ?? '')) continue;
      this.#seen.delete(uri);
      this.#seen.set(uri, server);
    }
    this.#forgetOldest(server);
  }

  /** Forgets the oldest links of a server that has too many links. Links of other servers are kept: one server must not displace them. */
  #forgetOldest(server: string): void {
    const own = [...this.#seen].filter(([, owner]) => owner === server);
    for (const [uri] of own.slice(0, Math.max(0, own.length - SWITCHBOARD_LIMITS.linkedResources)))
      this.#seen.delete(uri);
  }
}

/** Whether a URI may fit a URI template. Any text fits an expression in braces; only the server knows whether the resource exists. */
export const fits = (template: unknown, uri: string): boolean =>
  typeof template === 'string' && hasInOrder(template.split(/\{[^{}]*\}/), uri);
