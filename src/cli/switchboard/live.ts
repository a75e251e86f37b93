// The running processes that have a switchboard on this store, and their servers.
import { isObject, parseObject } from '../../proof/canonical-json.js';
import type { ReadTx, Store } from '../../store/store.js';
import {
  allStates,
  FILE_ROW,
  type InstanceState,
  pidOf,
  ROUTES_ROW,
} from '../../switchboard/records/states-repository.js';
import { lastBefore } from '../records/log-walk.js';
import { allLogs } from '../records/record-repository.js';

export interface SwitchboardProcess {
  readonly instance: string;
  readonly pid: number | null;
  /** The name of the client whose newest call the process served; null before its first call. */
  readonly client: string | null;
  readonly started_at: string | null;
  readonly file: { readonly path: string; readonly state: string; readonly problems: readonly string[] };
  readonly routes: readonly string[];
  readonly servers: readonly Omit<InstanceState, 'instance' | 'place'>[];
}

/** The name of the client of a process, from the newest record of a call that it served. */
const clientOf = async (tx: ReadTx, instance: string): Promise<string | null> => {
  for (const log of (await allLogs(tx)).reverse()) {
    const call = await lastBefore(tx, log, log.base + log.size, 'call.enter', { instance });
    const { client } = parseObject(call?.body ?? '{}');
    if (isObject(client) && typeof client.name === 'string') return client.name;
  }
  return null;
};

const processOf = async (tx: ReadTx, instance: string, rows: readonly InstanceState[]): Promise<SwitchboardProcess> => {
  const known = await pidOf(tx, instance);
  const file = rows.find(({ server }) => server === FILE_ROW);
  const [path = '', ...problems] = (file?.notes ?? '').split('\n');
  return {
    instance,
    pid: known?.pid ?? null,
    client: await clientOf(tx, instance),
    started_at: known?.started_at ?? null,
    file: { path, state: file?.state ?? 'UNKNOWN', problems },
    routes: rows.filter(({ server }) => server === ROUTES_ROW).flatMap(({ notes }) => notes.split('\n')),
    servers: rows
      .filter(({ server }) => server !== FILE_ROW && server !== ROUTES_ROW)
      .map(({ instance: _instance, place: _place, ...row }) => row),
  };
};

/** The Colibri processes that hold their lock; states that a dead process left in the store are ignored. */
export const switchboardProcesses = async (store: Store): Promise<SwitchboardProcess[]> => {
  const rows = await store.read(allStates);
  const live: SwitchboardProcess[] = [];
  for (const instance of new Set(rows.map((row) => row.instance))) {
    if (!(await store.instances.isAlive(instance))) continue;
    const own = rows.filter((row) => row.instance === instance);
    live.push(await store.read((tx) => processOf(tx, instance, own)));
  }
  return live;
};
