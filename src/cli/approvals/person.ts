// Makes sure that a command is given by a person, as far as the system shows it: no client of a Colibri process that runs here may stand above the
// command. Not the asking client alone: an agent could have somebody else ask, and then use the yes.
import { hostOfNode } from '../../core/node-name.js';
import { UNSEEN } from '../../core/unseen.js';
import type { Store } from '../../store/store.js';
import { ancestorNames, clientProcesses } from '../../switchboard/approval/lineage.js';
import type { StoreAt } from '../place.js';
import { processesOf } from '../processes.js';
import { wrong } from '../target.js';

/**
 * The processes that are clients of the Colibri processes which have this store open on this machine, under whatever name: in a namespace of its own a
 * program may have another user's. One that lives and cannot be seen hides its client. Of a store in a file, that is so of the asking process wherever
 * it runs; on a server it may run on another machine.
 */
const clientsHere = async (store: Store, { node, engine }: Where, asking?: string): Promise<readonly string[]> => {
  const { alive } = await processesOf(store);
  const isHere = (one: (typeof alive)[number]): boolean =>
    (engine === 'sqlite' && one.instance === asking) ||
    (one.node !== null && hostOfNode(one.node) === hostOfNode(node));
  const own = alive.filter(isHere);
  const clientsOf = async ({ pid, instance }: (typeof own)[number]): Promise<readonly string[]> => {
    const names = await clientProcesses(pid);
    // It may have ended meanwhile.
    return names.includes(UNSEEN) && !(await store.instances.isAlive(instance)) ? [] : names;
  };
  return (await Promise.all(own.map(clientsOf))).flat();
};

type Where = Pick<StoreAt, 'node' | 'engine'>;

interface PersonsAct {
  /** What a client cannot do, in words. */
  readonly what: string;
  /** Clients besides those that run now, by the names of their processes. */
  readonly clients?: readonly string[];
  /** The process that asks, if one does. */
  readonly asking?: string;
}

export const assertNotBelowClient = async (
  store: Store,
  at: Where,
  { what, clients = [], asking }: PersonsAct,
): Promise<void> => {
  const all = new Set([...clients, ...(await clientsHere(store, at, asking))]);
  const above = await ancestorNames();
  if (above.includes(UNSEEN) || all.has(UNSEEN))
    throw wrong(
      `Not every process that may stand above this command can be seen, so it cannot ${what}: a client may be among them.`,
      'Run it in a terminal of your own, in the container in which the client runs, if it runs in one. docs/approvals.md says more.',
    );
  if (above.some((name) => all.has(name)))
    throw wrong(
      `A client that calls tools through Colibri started this command, so it cannot ${what}.`,
      'Run it in a terminal of your own, outside of the client.',
    );
};
