// Parses a switchboard file into one frozen value with its warnings and errors. Pure: text, environment and folder are passed in, no file
// is read and no server started. A switchboard file with errors is not applied, but the part that could be parsed is returned.

import { deepFreeze } from '../../core/deep-freeze.js';
import { type JsonMember, type JsonNode, JsonTextError, type ObjectNode, readJson } from '../../files/json-text.js';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { redactShapes } from '../../redact/redact.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { matchesAny } from '../tool-filter.js';
import { type AskedServer, askedOf, hasDigest, NO_DIGEST } from './asked.js';
import { type Connected, connectionOf } from './connection.js';
import { type HealthSettings, readHealth } from './health-settings.js';
import { type AskValues, DEFAULT_KEYS, SERVER_KEYS, type ServerValues } from './keys.js';
import type { FileOrigin } from './place.js';
import { type ConfigProblem, inside, Problems, type TextPlace, warnRepeated } from './problem.js';
import { quorumFault, quorumOf } from './quorum.js';
import { isName, type Route, readRoutes } from './routes.js';
import { mergeNodes, readOr, warnOfKeys } from './shape.js';
import type { Environment } from './variables.js';

type ConnectionKey = 'type' | 'command' | 'args' | 'url' | 'env' | 'cwd' | 'headers' | 'inheritEnv';

export interface ServerConfig extends Omit<ServerValues, ConnectionKey | 'health' | 'ask'>, Connected {
  readonly name: string;
  readonly ask: AskValues;
  readonly health: HealthSettings;
  /** The server's entry, split into the part that needs consent in a project's file and the part that does not. */
  readonly asked: AskedServer;
}

export interface SwitchboardConfig {
  readonly errors: readonly ConfigProblem[];
  /** Errors of switchboard files whose last good version stays in use. Other switchboard files are applied in spite of these errors. */
  readonly broken?: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  readonly file: string;
  /** The servers in the order of the switchboard file. */
  readonly servers: readonly ServerConfig[];
  readonly routes: readonly Route[];
}

export interface Surroundings {
  readonly file: string;
  /** Where the switchboard file comes from; by default it is the user's own file. */
  readonly origin?: FileOrigin;
  /** Names of servers in other switchboard files. Routes of the file that is parsed may name these servers, too. */
  readonly elsewhere?: readonly string[];
  readonly env: Environment;
  /** The absolute path against which relative working directories of servers are resolved. */
  readonly configDir: string;
}

export const parseSwitchboard = (text: string, around: Surroundings): SwitchboardConfig => {
  const place: TextPlace = { path: '', problems: new Problems(around.file, text) };
  const root = readRoot(text, place);
  const found = root === undefined ? { servers: [], routes: [] } : readSections(root, place, around);
  const { warnings, errors } = place.problems;
  return deepFreeze({ file: around.file, ...found, warnings, errors });
};

const readRoot = (text: string, place: TextPlace): ObjectNode | undefined => {
  const wrong = (at: number, message: string): undefined => void place.problems.error('', at, message);
  if (text.length > SWITCHBOARD_LIMITS.switchboardChars)
    return wrong(0, `is longer than ${SWITCHBOARD_LIMITS.switchboardChars} characters`);
  try {
    const root = readJson(text);
    return root.kind === 'object' ? root : wrong(root.at, 'must be an object with the key "mcpServers"');
  } catch (thrown) {
    if (thrown instanceof JsonTextError) return wrong(thrown.at, thrown.message);
    throw thrown;
  }
};

const ROOT_KEYS = ['mcpServers', 'defaults', 'routes', '$schema'];

const readSections = (
  root: ObjectNode,
  place: TextPlace,
  around: Surroundings,
): Pick<SwitchboardConfig, 'servers' | 'routes'> => {
  warnOfKeys(root, ROOT_KEYS, place);
  const defaults = root.members.get('defaults')?.node;
  if (defaults !== undefined) readOr(DEFAULT_KEYS, defaults, inside(place, 'defaults'));
  const servers = readServers(root, defaults, { place: inside(place, 'mcpServers'), around });
  const routes = root.members.get('routes')?.node;
  const names = { own: [...(serversOf(root)?.members.keys() ?? [])], elsewhere: around.elsewhere ?? [] };
  return { servers, routes: routes === undefined ? [] : readRoutes(routes, names, inside(place, 'routes')) };
};

interface Reading {
  readonly place: TextPlace;
  readonly around: Surroundings;
}

const serversOf = (root: ObjectNode): ObjectNode | undefined => {
  const node = root.members.get('mcpServers')?.node;
  return node?.kind === 'object' ? node : undefined;
};

const readServers = (root: ObjectNode, defaults: JsonNode | undefined, reading: Reading): readonly ServerConfig[] => {
  const { path, problems } = reading.place;
  const node = serversOf(root);
  if (node === undefined) {
    const at = root.members.get('mcpServers')?.node.at ?? root.at;
    problems.error(path, at, 'must be an object with the servers by name');
    return [];
  }
  warnRepeated(node, reading.place);
  if (node.members.size > SWITCHBOARD_LIMITS.switchboardServers)
    problems.error(path, node.at, `holds more than ${SWITCHBOARD_LIMITS.switchboardServers} servers`);
  return [...node.members.values()].flatMap((member) => {
    const place = inside(reading.place, member.key);
    return readServer(member, defaults, { ...reading, place }) ?? [];
  });
};

const readServer = (
  { key: name, at, node: own }: JsonMember,
  defaults: JsonNode | undefined,
  { place, around }: Reading,
): ServerConfig | undefined => {
  const wrong = (message: string): undefined => void place.problems.error(place.path, at, message);
  if (!isName(name))
    return wrong(`a server's name has 1–${PROOF_LIMITS.nameChars} characters, none of them a control character`);
  // A server's name is written to the ledger's records, which are never deleted, so a name must not contain a secret.
  if (redactShapes(name) !== name) return wrong('its name contains something that looks like a secret');
  if (own.kind !== 'object') return wrong('must be an object');
  const merged = mergeNodes(defaults, own);
  const values = SERVER_KEYS.read(merged, place);
  const connected = values && connectionOf(values, around.configDir, around.env);
  if (values === undefined || connected === undefined || merged.kind !== 'object')
    return wrong('needs either "command" or "url"');
  const asked = askedOf(merged);
  if (!hasDigest([name, asked.entry])) return wrong(NO_DIGEST);
  checkConnection(own, connected, place);
  const { type, command, args, url, env, cwd, headers, inheritEnv, health: _written, ...plain } = values;
  const health = readHealth(values, own, place, around.origin ?? 'user');
  const fault = quorumFault(values.ask.quorum);
  if (fault !== undefined) return wrong(`has in "ask.quorum" ${fault}`);
  const { ask, destructive } = values.tools;
  const patterns = ask === 'destructive' ? destructive : ask;
  if (health.capability !== null && matchesAny(patterns, health.capability.tool))
    wrong('has its capability tool in "tools.ask": a check cannot wait for a person');
  return { name, asked, ...plain, ask: { ...values.ask, quorum: quorumOf(values.ask.quorum) }, ...connected, health };
};

const UNUSED = { stdio: ['headers'], http: ['args', 'env', 'cwd', 'inheritEnv'] } as const;

/** Checks a server's `type` and URL, and reports keys that have no effect for its kind of connection (command or URL). */
const checkConnection = (own: ObjectNode, { connection, missing }: Connected, place: TextPlace): void => {
  const { problems } = place;
  const { kind } = connection;
  const type = own.members.get('type')?.node;
  if (type?.kind === 'string' && (type.value === 'stdio') !== (kind === 'stdio'))
    problems.error(
      inside(place, 'type').path,
      type.at,
      `does not fit a server with "${kind === 'stdio' ? 'command' : 'url'}"`,
    );
  else if (type?.kind === 'string' && type.value === 'sse')
    problems.warn(inside(place, 'type').path, type.at, 'is the old HTTP transport; it is read as "http"');
  for (const key of UNUSED[kind]) {
    const member = own.members.get(key);
    if (member !== undefined)
      problems.warn(inside(place, key).path, member.at, `has no effect for a server of kind ${kind}`);
  }
  const url = own.members.get('url')?.node;
  if (connection.kind === 'http' && url !== undefined && missing.length === 0 && !isHttp(connection.url))
    problems.error(inside(place, 'url').path, url.at, 'must be an http:// or https:// URL');
};

const isHttp = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
