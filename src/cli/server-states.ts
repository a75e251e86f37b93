// The health states of the MCP servers behind the switchboard, as the living Colibri processes recorded them in the store.
import type { ReadTx } from '../store/store.js';
import { allStates, FILE_ROW, ROUTES_ROW } from '../switchboard/records/states-repository.js';
import type { KnownInstance } from './instances-repository.js';

const OTHER_ROWS: readonly string[] = [FILE_ROW, ROUTES_ROW];

export const serverStates = async (tx: ReadTx, alive: readonly KnownInstance[]) => {
  const pids = new Map(alive.map(({ instance, pid }) => [instance, pid]));
  return (await allStates(tx)).flatMap(({ instance, server, state, since, reason }) => {
    const pid = pids.get(instance);
    return pid === undefined || OTHER_ROWS.includes(server) ? [] : [{ server, pid, state, since, reason }];
  });
};

export type ServerStatus = Awaited<ReturnType<typeof serverStates>>[number];
