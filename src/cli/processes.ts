// Which processes live: those that hold their lock. What a dead one left behind is nobody's state.
import { LIMITS } from '../limits.js';
import type { Store } from '../store/store.js';
import { type KnownInstance, newestInstances } from './status-repository.js';

export interface Processes {
  readonly alive: readonly KnownInstance[];
  /** Died, and nobody has closed its calls yet. */
  readonly dead: readonly KnownInstance[];
}

export const processesOf = async (store: Store): Promise<Processes> => {
  const known = await store.read((tx) => newestInstances(tx, LIMITS.lookInstances));
  const [alive, dead]: [KnownInstance[], KnownInstance[]] = [[], []];
  for (const one of known) {
    // A name that cannot be one holds no lock.
    const lives = await store.instances.isAlive(one.instance).catch(() => false);
    (lives ? alive : dead).push(one);
  }
  return { alive, dead };
};

export const aliveInstances = async (store: Store): Promise<ReadonlySet<string>> =>
  new Set((await processesOf(store)).alive.map(({ instance }) => instance));
