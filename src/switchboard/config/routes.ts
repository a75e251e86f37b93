// Reads the `routes` of a switchboard file: each route has a name and a list of providers (server and tool) in order of preference. Only the
// form is checked here; whether a server has the tool is known once the server's tool list (its catalogue) was read.

import type { JsonNode } from '../../files/json-text.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { mappingFault } from '../route/arguments.js';
import { hasDigest, NO_DIGEST } from './asked.js';
import { PROVIDER_KEYS } from './keys.js';
import { inside, type TextPlace, warnRepeated } from './problem.js';

export interface Provider {
  readonly server: string;
  readonly tool: string;
  /** How the arguments of the provider's tool are made from those of the route; null: all arguments are passed on unchanged. */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** Whether an error answer of the provider's read-only tool lets one further provider try; null: only if the configuration calls the tool read-only. */
  readonly fallbackOnError: boolean | null;
}

export interface Route {
  readonly name: string;
  readonly providers: readonly Provider[];
}

/** Names of servers that a route is allowed to name: those of its own switchboard file and those of other files. */
export interface ServerNames {
  readonly own: readonly string[];
  readonly elsewhere: readonly string[];
}

/** Splits the text `server/tool` after the longest server name that it begins with, because both names may contain a slash. */
const splitProvider = (text: string, servers: readonly string[]): Provider | undefined => {
  const known = servers.filter((name) => text.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0];
  const server = known ?? text.split('/')[0] ?? '';
  const tool = text.slice(server.length + 1);
  return server === '' || tool === '' ? undefined : { server, tool, arguments: null, fallbackOnError: null };
};

/** Reads one provider. A text `server/tool` is split by the server names of the same file: another file must not change what a route means. */
const readProvider = (node: JsonNode, servers: readonly string[], place: TextPlace): Provider | undefined => {
  const wrong = (message: string): undefined => void place.problems.error(place.path, node.at, message);
  if (node.kind === 'string' && !hasDigest(node.value)) return wrong(NO_DIGEST);
  if (node.kind === 'string') return splitProvider(node.value, servers) ?? wrong('must be "server/tool"');
  const values = PROVIDER_KEYS.read(node, place);
  if (values === undefined) return wrong('must be "server/tool" or an object');
  const { server, tool } = values;
  if (server === null || tool === null) return wrong('needs "server" and "tool"');
  for (const [key, value] of Object.entries(values.arguments ?? {})) {
    const fault = mappingFault(value);
    if (fault !== undefined) place.problems.error(inside(inside(place, 'arguments'), key).path, node.at, fault);
  }
  return hasDigest(values) ? { ...values, server, tool } : wrong(NO_DIGEST);
};

/** Whether the name of a server or tool is valid. Records would cut a name that is too long, and two names might then look the same. */
export const isName = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  text !== '' && text.length <= PROOF_LIMITS.nameChars && !/[\u0000-\u001f\u007f]/.test(text);

const readProviders = (node: JsonNode, servers: ServerNames, place: TextPlace): readonly Provider[] => {
  if (node.kind !== 'array' || node.items.length === 0) {
    place.problems.error(place.path, node.at, 'must be a list of at least one provider');
    return [];
  }
  if (node.items.length > SWITCHBOARD_LIMITS.routeProviders)
    place.problems.error(place.path, node.at, `holds more than ${SWITCHBOARD_LIMITS.routeProviders} providers`);
  return node.items.flatMap((item, index) => {
    const here = inside(place, index);
    const provider = readProvider(item, servers.own, here);
    if (provider === undefined) return [];
    if (!isName(provider.tool))
      here.problems.error(
        here.path,
        item.at,
        `a tool's name has 1–${PROOF_LIMITS.nameChars} characters, none of them a control character`,
      );
    if (![...servers.own, ...servers.elsewhere].includes(provider.server))
      here.problems.warn(here.path, item.at, `there is no server ${JSON.stringify(provider.server)}`);
    return [provider];
  });
};

export const readRoutes = (node: JsonNode, servers: ServerNames, place: TextPlace): readonly Route[] => {
  if (node.kind !== 'object') {
    place.problems.error(place.path, node.at, 'must be an object');
    return [];
  }
  warnRepeated(node, place);
  if (node.members.size > SWITCHBOARD_LIMITS.switchboardRoutes)
    place.problems.error(place.path, node.at, `holds more than ${SWITCHBOARD_LIMITS.switchboardRoutes} routes`);
  return [...node.members.values()].flatMap(({ key: name, at, node: inner }) => {
    const here = inside(place, name);
    if (!/^[A-Za-z0-9_:-]{1,64}$/.test(name)) {
      place.problems.error(here.path, at, 'a route\'s name has 1–64 letters, digits, "_", "-" or ":"');
      return [];
    }
    return [{ name, providers: readProviders(inner, servers, here) }];
  });
};
