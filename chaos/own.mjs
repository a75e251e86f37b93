// The user's own servers: started as configured, called only with what changes nothing, disturbed only from outside.
import { publicNames } from '../build/switchboard/names.js';
import { matchesAny } from '../build/switchboard/tool-filter.js';
import { Relay } from './relay.mjs';

/** @typedef {import('./disturb.mjs').Disturbance} Disturbance */
/** @typedef {import('./board.mjs').ServerConfig} ServerConfig */
/** @typedef {{ server: string, tool: string, arguments: Record<string, unknown> }} Extra */

/** Of the tools that may be called, so many of each server are. */
const MOST_TOOLS = 3;
/** Between two kills: long enough to be seen as well again. */
const FLAP_LOOK_MS = 100;

/** @param {any} tool @param {ServerConfig} server */
const changesNothing = (tool, { tools, trustHints }) =>
  matchesAny(tools.readOnly, tool.name) || (trustHints && tool.annotations?.readOnlyHint === true);

/** @param {any} tool */
const needsNothing = ({ inputSchema }) => !Array.isArray(inputSchema?.required) || inputSchema.required.length === 0;

/**
 * What each server may be called with.
 * @param {readonly ServerConfig[]} servers
 * @param {{ catalogues: Map<string, any[]>, listed: Set<string>, extras: readonly Extra[], isQuiet: boolean }} known
 * @returns {Map<string, import('./traffic.mjs').Tool[]>}
 */
export const harmlessTools = (servers, { catalogues, listed, extras, isQuiet }) => {
  const toolsOf = (/** @type {string} */ name) => catalogues.get(name) ?? [];
  const named = servers.map(({ name }) => ({ name, prefix: true, tools: toolsOf(name).map((tool) => tool.name) }));
  const names = publicNames(named, []).list.filter(({ name }) => listed.has(name));
  const publicName = (/** @type {string} */ server, /** @type {string} */ tool) =>
    names.find((one) => one.server === server && one.tool === tool)?.name;
  return new Map(
    servers.map((server) => {
      const free = isQuiet
        ? []
        : toolsOf(server.name).filter((tool) => changesNothing(tool, server) && needsNothing(tool));
      const wanted = [
        ...free.slice(0, MOST_TOOLS).map((tool) => ({ tool: tool.name, arguments: {} })),
        ...extras.filter((extra) => extra.server === server.name),
      ];
      const found = wanted.flatMap(({ tool, arguments: args }) => {
        const name = publicName(server.name, tool);
        return name === undefined ? [] : [{ name, arguments: args }];
      });
      return [server.name, found];
    }),
  );
};

/** @param {string} server @returns {Disturbance[]} */
const ofProcess = (server) => {
  /** @type {number | undefined} */
  let stopped;
  /** @type {NodeJS.Timeout | undefined} */
  let flapping;
  return [
    {
      id: 'killed',
      server,
      done: 'SIGKILL to its process group, once',
      expects: 'seen',
      atOnce: true,
      begin: (world) => world.signal(server, 'SIGKILL'),
      end: () => {},
    },
    {
      id: 'blocked',
      server,
      done: 'SIGSTOP to its process group',
      expects: 'out',
      begin: (world) => {
        stopped = world.signal(server, 'SIGSTOP');
      },
      end: (world) => world.signalGroup(stopped, 'SIGCONT'),
    },
    {
      id: 'flapping',
      server,
      done: 'SIGKILL to its process group whenever it is well',
      expects: 'out',
      begin: (world) => {
        const kill = () => {
          if (world.stateOf(server) === 'HEALTHY') world.signal(server, 'SIGKILL', true);
        };
        flapping = setInterval(kill, FLAP_LOOK_MS);
      },
      end: () => clearInterval(flapping),
    },
  ];
};

/** @param {string} server @param {Relay} relay @returns {Disturbance[]} */
const ofRelay = (server, relay) => {
  const mode = (
    /** @type {string} */ id,
    /** @type {import('./relay.mjs').Mode} */ wanted,
    /** @type {string} */ done,
  ) => ({
    id,
    server,
    done,
    expects: /** @type {const} */ ('out'),
    begin: () => relay.set(wanted),
    end: () => relay.set('pass'),
  });
  return [
    mode('refused', 'refuse', 'connections to it are refused'),
    mode('silent', 'hang', 'requests to it are taken and not answered'),
    mode('cut', 'cut', 'every answer of it is cut off'),
  ];
};

/**
 * @param {readonly ServerConfig[]} servers those that are not disabled
 * @param {any} board as it is written
 * @returns {Promise<import('./disturb.mjs').Cast & { relays: Map<string, string>, use: (tools: Map<string, import('./traffic.mjs').Tool[]>) => void }>}
 */
export const ownCast = async (servers, board) => {
  /** @type {Map<string, Relay>} */
  const relays = new Map();
  for (const { name, connection, missing } of servers) {
    if (connection.kind !== 'http' || missing.length > 0) continue;
    const relay = new Relay(connection.url);
    await relay.listen();
    relays.set(name, relay);
  }
  /** @type {Map<string, import('./traffic.mjs').Tool[]>} */
  let tools = new Map();
  const disturbancesOf = (/** @type {string} */ server) => {
    const relay = relays.get(server);
    return relay === undefined ? ofProcess(server) : ofRelay(server, relay);
  };
  return {
    board,
    relays: new Map([...relays].map(([name, relay]) => [name, relay.url])),
    use: (found) => {
      tools = found;
    },
    toolsOf: (server) => tools.get(server) ?? [],
    disturbances: () => servers.flatMap(({ name }) => disturbancesOf(name)),
    arrivalsOf: (server) => relays.get(server)?.arrivals,
    stop: () => Promise.all([...relays.values()].map((relay) => relay.close())),
  };
};
