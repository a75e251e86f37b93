// Two machines that share a store, and more or less of a home. The second one is simulated: it has another name, and processes on it see the
// same locks.
import { hostname } from 'node:os';
import { join } from 'node:path';
import { onHost } from '../ledger2/stores.js';
import type { Environment, Place } from './serve.js';

/** What the machines have in common besides the store. */
export const SHARINGS = ['the home', 'the heads', 'nothing'] as const;
export type Sharing = (typeof SHARINGS)[number];

/** A machine: how processes run on it, and what somebody who verifies there finds. */
export interface TestMachine {
  readonly env: Environment;
  readonly host: string;
  readonly keysDir: string;
  readonly headsDir: string;
}

const machine = (host: string, env: Environment, state: string, headsDir = join(state, 'colibri', 'heads')) => ({
  env,
  host,
  keysDir: join(state, 'colibri', 'keys'),
  headsDir,
});

export const thisMachineOf = ({ home }: Place): TestMachine => machine(hostname(), {}, join(home, 'state'));

const OTHER = 'elsewhere';

export const otherMachineOf = (place: Place, sharing: Sharing): TestMachine => {
  const { env } = onHost(OTHER);
  const here = thisMachineOf(place);
  if (sharing === 'the home') return { ...here, env, host: OTHER };
  const state = join(place.home, 'other-state');
  const own = { ...env, XDG_STATE_HOME: state };
  if (sharing === 'nothing') return machine(OTHER, own, state);
  return machine(OTHER, { ...own, COLIBRI_HEADS_DIR: here.headsDir }, state, here.headsDir);
};
