// `colibri switchboard tools <server>`: the tools that a server listed last, under the names that clients call, and what calls of them may do.
import { nearest } from '../../core/nearest.js';
import { isObject } from '../../proof/canonical-json.js';
import { needsApproval } from '../../switchboard/approval/need.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import { publicNames } from '../../switchboard/names.js';
import { listedByAll } from '../../switchboard/records/catalogue-repository.js';
import { StoredCatalogue } from '../../switchboard/server/stored-catalogue.js';
import { isOffered } from '../../switchboard/tool-filter.js';
import { isNotYet, readingOnce } from '../access.js';
import { findStore, type PlaceOptions } from '../place.js';
import { plain, say, sayJson } from '../screen/print.js';
import { tableLines } from '../screen/table.js';
import { screenWidth } from '../screen/width.js';
import { wrong } from '../target.js';
import { waitingTools } from './approve-tools.js';
import { knownServers } from './known-servers.js';
import { projectKeyOf } from './place.js';

interface ShownTool {
  readonly tool: string;
  /** The name under which clients call it; null if it is not offered to them. */
  readonly name: string | null;
  readonly read_only: boolean;
  /** Whether a call waits for a person's yes. */
  readonly asks: boolean;
  /** Whether calls are refused until a person approves the tool as it is now. */
  readonly held: boolean;
  readonly about: string;
}

const named = (name: string, servers: readonly ServerConfig[]): ServerConfig => {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found;
  const names = servers.map((server) => server.name);
  const meant = nearest(name, names);
  throw wrong(
    `There is no server ${JSON.stringify(name)}${meant === undefined ? '' : `; the nearest is ${meant}`}.`,
    names.length === 0 ? 'To add one: colibri switchboard add' : `Servers: ${names.join(' ')}.`,
  );
};

const aboutOf = (declared: unknown): string => {
  const text = isObject(declared) && typeof declared.description === 'string' ? declared.description : '';
  return text.trim().split('\n', 1)[0] ?? '';
};

const shownTools = (
  server: ServerConfig,
  catalogue: StoredCatalogue,
  isHeld: (tool: string) => boolean,
): readonly ShownTool[] => {
  const safe = catalogue.safe(server).tools;
  const { list } = publicNames([{ name: server.name, prefix: server.prefix, tools: [...safe.keys()] }], []);
  const names = new Map(list.map(({ tool, name }) => [tool, name]));
  return [...catalogue.declared()].map(([tool, declared]) => ({
    tool,
    name: isOffered(server.tools, tool) ? (names.get(tool) ?? null) : null,
    read_only: catalogue.safetyOf(tool, server).readOnly,
    asks: needsApproval(tool, declared, server),
    held: isHeld(tool),
    about: aboutOf(declared),
  }));
};

/** What a call does, in one or two words; the strongest first. */
const mayOf = ({ name, held, asks, read_only }: ShownTool): string => {
  if (name === null) return 'not offered';
  if (held) return 'held';
  if (asks) return 'asks you';
  return read_only ? 'reads' : 'may write';
};

const COLUMNS = [{ title: 'tool', least: 14 }, { title: 'a call' }, { title: 'what it says of itself', least: 8 }];

const NONE = 'Its tools are not known yet: they are once a client has started Colibri with this server.';

const show = (tools: readonly ShownTool[]): void => {
  const cells = tools.map((one) => [plain(one.name ?? one.tool), mayOf(one), plain(one.about)]);
  for (const line of tableLines(COLUMNS, cells, screenWidth())) say(line);
  if (tools.some(({ held }) => held)) say('To see what changed and approve it: colibri switchboard approve');
  if (tools.some(({ name }) => name === null))
    say('Not offered: tools.allow and tools.deny in the file, or a bad schema.');
};

export const listTools = async (name: string, options: PlaceOptions): Promise<number> => {
  const server = named(
    name,
    knownServers(options).map((known) => known.server),
  );
  const at = findStore(options);
  const stateDir = at.config.directories.state;
  const key = { connection: connectionDigest(server), server: server.name };
  const listed = isNotYet(at, options) ? [] : await readingOnce(at, (tx) => listedByAll(tx, key));
  const waiting =
    listed.length === 0 ? [] : await waitingTools([server], projectKeyOf(options), { ...options, stateDir });
  const changed = new Set(waiting.flatMap(({ changes }) => [...changes.keys()]));
  const tools = shownTools(server, new StoredCatalogue(listed), (tool) => changed.has(tool));
  if (options.json) sayJson({ server: server.name, tools });
  else if (tools.length === 0) say(NONE);
  else show(tools);
  return 0;
};
