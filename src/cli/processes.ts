// Tells which Colibri processes are alive: those that hold their lock. The state that a dead process left in the store does not count.
import type { ReadTx, Store } from '../store/store.js';
import { allStates, FILE_ROW, ROUTES_ROW } from '../switchboard/records/states-repository.js';
import { type KnownInstance, newestInstances, openCallsOf } from './instances-repository.js';
import { CLI_LIMITS } from './limits.js';

/** The newest processes that have used the store, at most `most`, split into those that are alive and those that are gone. */
export const processesOf = async (store: Store, most: number = CLI_LIMITS.lookInstances) => {
  const known = await store.read((tx) => newestInstances(tx, most));
  const [alive, gone]: [KnownInstance[], KnownInstance[]] = [[], []];
  for (const one of known) {
    // isAlive rejects if the instance id is invalid; such an instance holds no lock.
    const lives = await store.instances.isAlive(one.instance).catch(() => false);
    (lives ? alive : gone).push(one);
  }
  return {
    alive,
    /** Dead processes whose calls without an outcome will be closed by a `serve` process of their machine and user. */
    dead: gone.filter(({ closed }) => closed === 0),
    /** Dead processes whose log is closed: their calls never get an outcome. */
    ended: gone.filter(({ closed }) => closed === 1),
  };
};

export const openCalls = async (tx: ReadTx, all: readonly KnownInstance[], most: number = CLI_LIMITS.doctorRecords) => {
  let calls = 0;
  for (const one of all) calls += await openCallsOf(tx, one, most);
  return calls;
};

export const aliveInstances = async (store: Store): Promise<ReadonlySet<string>> =>
  new Set((await processesOf(store)).alive.map(({ instance }) => instance));

/** Names that the table of server states uses for rows about something else than a server. */
const OTHER_ROWS: readonly string[] = [FILE_ROW, ROUTES_ROW];

/** The health of the MCP servers behind the switchboard, as the living processes recorded it. */
export const serverStates = async (tx: ReadTx, alive: readonly KnownInstance[]) => {
  const pids = new Map(alive.map(({ instance, pid }) => [instance, pid]));
  return (await allStates(tx)).flatMap(({ instance, server, state, since, reason }) => {
    const pid = pids.get(instance);
    return pid === undefined || OTHER_ROWS.includes(server) ? [] : [{ server, pid, state, since, reason }];
  });
};

export type ServerStatus = Awaited<ReturnType<typeof serverStates>>[number];
