// Makes the public names of the tools of other servers. A tool is found through the returned map, because its public name may be cut or
// changed and cannot be parsed back. A public name depends only on its server and on the servers before that one in the configuration.
import { createHash } from 'node:crypto';
import { SWITCHBOARD_LIMITS } from './limits.js';

export interface NamedServer {
  readonly name: string;
  /** If true, public names begin with the server's name. If false, a tool keeps its own name unless that name is taken. */
  readonly prefix: boolean;
  /** The tools' names as the server gives them, in any order. */
  readonly tools: readonly string[];
}

export interface PublicName {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
}

/** A note for the user about a tool whose public name is not the expected one. */
export interface NameNote {
  readonly server: string;
  readonly tool: string;
  /** The tool's public name; null if the tool is not listed. */
  readonly name: string | null;
  readonly why: 'cut' | 'changed' | 'taken' | 'prefixed' | 'repeated' | 'too many tools';
}

export interface PublicNames {
  /** The public names in the order of `tools/list`: servers in configuration order, names sorted. */
  readonly list: readonly PublicName[];
  readonly byName: ReadonlyMap<string, PublicName>;
  readonly notes: readonly NameNote[];
}

const LEGAL = /^[A-Za-z0-9_-]+$/;

/** Replaces with `_` each code point that clients do not accept in a tool's name. */
const legal = (text: string): string => text.replace(/[^A-Za-z0-9_-]/gu, '_');

/** A hash of lower-case letters and digits, because some clients ignore case. Another `salt` gives another hash if the first is taken. */
const hashOf = (server: string, tool: string, salt: number): string =>
  createHash('sha256')
    .update(JSON.stringify(salt === 0 ? [server, tool] : [server, tool, salt]))
    .digest('hex')
    .slice(0, SWITCHBOARD_LIMITS.nameHashChars);

const withHash = (text: string, hash: string): string =>
  `${legal(text).slice(0, SWITCHBOARD_LIMITS.publicNameChars - hash.length - 1)}_${hash}`;

type Fault = Extract<NameNote['why'], 'cut' | 'changed' | 'taken'>;

const faultOf = (text: string, isTaken: (name: string) => boolean): Fault | undefined => {
  if (!LEGAL.test(text)) return 'changed';
  if (text.length > SWITCHBOARD_LIMITS.publicNameChars) return 'cut';
  return isTaken(text) ? 'taken' : undefined;
};

/** A public name that is not taken, begins like `text` and ends with a hash. */
const hashedName = (text: string, server: string, tool: string, isTaken: (name: string) => boolean): string => {
  for (let salt = 0; ; salt++) {
    const name = withHash(text, hashOf(server, tool, salt));
    if (!isTaken(name)) return name;
  }
};

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The server's tool names, sorted, so that the order in which the server lists its tools does not matter. A note names each tool left out. */
const toolsOf = ({ name: server, tools }: NamedServer, notes: NameNote[]): readonly string[] => {
  const leaveOut = (tool: string, why: NameNote['why']) => notes.push({ server, tool, name: null, why });
  const sorted = [...new Set(tools)].sort(byCodeUnits);
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  for (const tool of sorted) if ((counts.get(tool) ?? 0) > 1) leaveOut(tool, 'repeated');
  for (const tool of sorted.slice(SWITCHBOARD_LIMITS.toolsPerServer)) leaveOut(tool, 'too many tools');
  return sorted.slice(0, SWITCHBOARD_LIMITS.toolsPerServer);
};

/** Gives each tool of the servers a public name. `own`: names of Colibri's own tools and of routes, which no server's tool may get. */
export const publicNames = (servers: readonly NamedServer[], own: readonly string[]): PublicNames => {
  const reserved = new Set(own);
  const byName = new Map<string, PublicName>();
  const notes: NameNote[] = [];
  const isTaken = (name: string): boolean => reserved.has(name) || byName.has(name);
  const give = ({ name: server, prefix }: NamedServer, tool: string): void => {
    const bareFault = prefix ? 'taken' : faultOf(tool, isTaken);
    const text = bareFault === 'taken' ? `${server}__${tool}` : tool;
    const fault = bareFault === 'taken' ? faultOf(text, isTaken) : bareFault;
    const name = fault === undefined ? text : hashedName(text, server, tool, isTaken);
    const why = fault ?? (bareFault === 'taken' && !prefix ? 'prefixed' : undefined);
    byName.set(name, { name, server, tool });
    if (why !== undefined) notes.push({ server, tool, name, why });
  };
  for (const server of servers) for (const tool of toolsOf(server, notes)) give(server, tool);
  const rank = new Map(servers.map(({ name }, index) => [name, index]));
  const list = [...byName.values()].sort(
    (a, b) => (rank.get(a.server) ?? 0) - (rank.get(b.server) ?? 0) || byCodeUnits(a.name, b.name),
  );
  return { list, byName, notes };
};

export interface RouteName {
  readonly name: string;
  /** Why the route's public name is not the expected one. */
  readonly why?: 'cut' | 'taken';
}

/** The public names of routes (`:` becomes `__`) by their names in the switchboard file, in file order. `own`: names of Colibri's own tools. */
export const routeNames = (routes: readonly string[], own: readonly string[]): ReadonlyMap<string, RouteName> => {
  const taken = new Set(own);
  return new Map(
    routes.map((route) => {
      const text = route.replaceAll(':', '__');
      const why = text.length > SWITCHBOARD_LIMITS.publicNameChars ? 'cut' : taken.has(text) ? 'taken' : undefined;
      const name = why === undefined ? text : hashedName(text, '', route, (one) => taken.has(one));
      taken.add(name);
      return [route, why === undefined ? { name } : { name, why }];
    }),
  );
};
