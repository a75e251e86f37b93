// `colibri switchboard restart` and `retry`: ask the running processes to end and dial a server again, or to try now one that does not work.
import { isoClock } from '../../core/clock.js';
import { count } from '../../core/figures.js';
import { nearest } from '../../core/nearest.js';
import { quietly } from '../../errors.js';
import { asName } from '../../redact/redact.js';
import { addOrders } from '../../switchboard/config/orders.js';
import type { PersonsWish } from '../../switchboard/health/event.js';
import { assertMayWrite, readingStore } from '../access.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { plain, say, sayJson } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { knownServers } from './known-servers.js';
import { type SwitchboardProcess, switchboardProcesses } from './live.js';

const hasServer =
  (name: string) =>
  ({ servers }: SwitchboardProcess): boolean =>
    servers.some(({ server }) => server === name);

const noServer = (name: string, live: readonly SwitchboardProcess[]): Error => {
  const names = [...new Set(live.flatMap(({ servers }) => servers.map(({ server }) => server)))];
  if (names.length === 0)
    return wrong('No running process on this store has servers.', 'A client that starts Colibri starts them.');
  const meant = nearest(name, names);
  return wrong(
    `No running process has a server ${JSON.stringify(name)}${meant === undefined ? '' : `; the nearest is ${meant}`}.`,
    `Servers: ${names.join(' ')}.`,
  );
};

const WAITS: Readonly<Record<string, string>> = {
  not_approved: 'It waits for your approval: colibri switchboard approve',
  missing_variable: 'A variable of its configuration is not set: colibri switchboard check',
};

/** What a retry does for a server that is not down in any process. */
const NOTHING_TO_TRY: Readonly<Record<string, string>> = {
  HEALTHY: 'works already: there is nothing to try. `colibri switchboard restart` ends it and starts it again.',
  STARTING: 'is starting already.',
  PROBATION: 'is being tried already, with one request at a time.',
};

/** Throws if the server is disabled in the file: then no process has it, and the remedy is there. */
const assertEnabled = (name: string, options: PlaceOptions): void => {
  const known = quietly(() => knownServers(options)) ?? [];
  if (known.some(({ server }) => server.name === name && server.disabled))
    throw wrong(`${plain(name)} is disabled in the switchboard file.`, 'Remove "disabled" there: then it is started.');
};

/** Asks every process that has the server, and says so in a sentence; throws if there is none. */
export const orderServers = async (
  at: StoreAt,
  what: PersonsWish,
  name: string,
  live: readonly SwitchboardProcess[],
): Promise<string> => {
  const asked = live.filter(hasServer(name));
  if (asked.length === 0) throw noServer(name, live);
  const order = { server: name, what, by: asName(at.user), at: isoClock()() };
  await changingState(at.config.directories.state, async (held) =>
    addOrders(
      held,
      asked.map(({ instance }) => ({ instance, ...order })),
      Date.now(),
    ),
  );
  const words = what === 'retry' ? 'to try' : 'to restart';
  return `Asked ${count(asked.length, 'process', 'processes')} ${words} ${plain(name)}.`;
};

export const act =
  (what: PersonsWish) =>
  async (name: string, options: PlaceOptions): Promise<number> => {
    const at = findStore(options);
    assertMayWrite(at);
    const live = await readingStore(at, switchboardProcesses);
    assertEnabled(name, options);
    const said = await orderServers(at, what, name, live);
    const asked = live.filter(hasServer(name)).map(({ instance, pid, servers }) => {
      const { state = '', reason = null } = servers.find(({ server }) => server === name) ?? {};
      return { instance, pid, state, reason };
    });
    if (options.json) sayJson({ server: name, asked: what, by: asName(at.user), processes: asked });
    else {
      say(`${said} It is recorded with your name; a server that did not work gets one request at first.`);
      const states = new Set(asked.map(({ state }) => NOTHING_TO_TRY[state]));
      if (what === 'retry') for (const idle of states) if (idle !== undefined) say(`${plain(name)} ${idle}`);
      for (const hint of new Set(asked.map(({ reason }) => WAITS[reason?.split(':')[0] ?? ''])))
        if (hint !== undefined) say(hint);
      say('colibri switchboard shows what becomes of it.');
    }
    return 0;
  };
