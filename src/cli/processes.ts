// Tells which Colibri processes are alive: those that hold their lock. The state that a dead process left in the store does not count.
import type { ReadTx, Store } from '../store/store.js';
import { type KnownInstance, newestInstances, openCallsOf } from './instances-repository.js';
import { CLI_LIMITS } from './limits.js';

export interface Processes {
  readonly alive: readonly KnownInstance[];
  /** Dead processes whose calls without an outcome will be closed by a `serve` process that runs or starts next. */
  readonly dead: readonly KnownInstance[];
  /** Dead processes whose log is closed: their calls never get an outcome. */
  readonly ended: readonly KnownInstance[];
}

/** The newest processes, at most so many, that have used a store. */
export const processesOf = async (store: Store, most: number = CLI_LIMITS.lookInstances): Promise<Processes> => {
  const known = await store.read((tx) => newestInstances(tx, most));
  const [alive, gone]: [KnownInstance[], KnownInstance[]] = [[], []];
  for (const one of known) {
    // isAlive rejects if the instance id is invalid; such an instance holds no lock.
    const lives = await store.instances.isAlive(one.instance).catch(() => false);
    (lives ? alive : gone).push(one);
  }
  return { alive, dead: gone.filter(({ closed }) => closed === 0), ended: gone.filter(({ closed }) => closed === 1) };
};

export const openCalls = async (tx: ReadTx, instances: readonly KnownInstance[], most?: number): Promise<number> => {
  let calls = 0;
  for (const one of instances) calls += await openCallsOf(tx, one, most);
  return calls;
};

export const aliveInstances = async (store: Store): Promise<ReadonlySet<string>> =>
  new Set((await processesOf(store)).alive.map(({ instance }) => instance));
