// Makes sure that no agent enrols a voter: no client of a Colibri process that runs here may stand above the command.
import type { Store } from '../../store/store.js';
import { ancestorNames, clientProcesses } from '../../switchboard/approval/lineage.js';
import type { StoreAt } from '../place.js';
import { processesOf } from '../processes.js';
import { wrong } from '../target.js';

/** The processes that are clients of the Colibri processes which have this store open on this machine, as this user. */
const clientsHere = async (store: Store, { node }: Pick<StoreAt, 'node'>): Promise<ReadonlySet<string>> => {
  const { alive } = await processesOf(store);
  const own = alive.filter((one) => one.node === node);
  return new Set((await Promise.all(own.map(({ pid }) => clientProcesses(pid)))).flat());
};

export const assertNotBelowClient = async (store: Store, at: Pick<StoreAt, 'node'>): Promise<void> => {
  const clients = await clientsHere(store, at);
  if ((await ancestorNames()).some((name) => clients.has(name)))
    throw wrong(
      'A client of a running Colibri started this command, so it cannot say who may vote.',
      'Run it in a terminal of your own, outside of the client.',
    );
};
