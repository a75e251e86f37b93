// Finds the store that a command works on, with its keys and signed heads: by the same rules as `serve`, plus `--db`.
import { resolve } from 'node:path';
import { type Config, workingDirectory } from '../config.js';
import { isoClock } from '../core/clock.js';
import { ColibriError } from '../errors.js';
import type { OpenLogOptions } from '../ledger/open.js';
import { MODES } from '../modes.js';
import { asName } from '../redact/redact.js';
import { lookUpIdentity } from '../start/identity.js';
import { thisMachine } from '../start/machine.js';
import { type StorePlace, storePlaceOf } from '../start/phase2.js';
import { resolveProject, resolveStore, type StoreChoice } from '../start/project.js';
import type { Store } from '../store/store.js';
import { type PlaceOptions, withPlace } from './place-options.js';
import { tell } from './screen/print.js';
import { commandSettings } from './settings.js';

export { type PlaceOptions, withPlace };

export interface StoreAt extends StorePlace {
  readonly config: Config;
  /** The name of the rule that chose the store. */
  readonly rule: string;
  /** The machine and user that run the command; each machine and user has its own log in the store. */
  readonly node: string;
  readonly user: string;
}

/** The name of the rule for a store that the option `--db` named. */
export const BY_OPTION = '--db';

export const namedStore = (db: string): StoreChoice => ({
  kind: 'sqlite',
  path: resolve(workingDirectory(), db),
  rule: BY_OPTION,
});

const choose = (config: Config, db: string | undefined): StoreChoice =>
  db === undefined ? resolveStore(config, resolveProject(config.projectHints)) : namedStore(db);

/** Adds to a store its keys, its signed heads, and the machine and user that run the command. */
export const storeAt = (config: Config, choice: StoreChoice): StoreAt => {
  const place = storePlaceOf(config, choice);
  const node = asName(place.node ?? 'no node yet');
  return { ...place, config, rule: choice.rule, node, user: thisMachine().osUser };
};

/** Finds the path of the store; does not open or create the store. */
export const findStore = ({ project, db }: PlaceOptions): StoreAt => {
  const config = commandSettings(project);
  for (const warning of config.warnings) tell(`colibri: ${warning}`);
  const choice = choose(config, db);
  if (choice.kind === 'none' || choice.kind === 'throwaway') {
    throw new ColibriError('CONFIG_INVALID', `There is no store to work on: ${choice.rule}.`, {
      remedy: 'Unset COLIBRI_MODE, or name the store with --db.',
    });
  }
  return storeAt(config, choice);
};

/** The current project and its id, found as `serve` finds them; the project is not registered. */
export const whoseStore = ({ config, path, rule }: Pick<StoreAt, 'config' | 'path' | 'rule'>) => {
  const project = resolveProject(config.projectHints);
  if (project.none) return { project, identity: undefined };
  const place = { project, choice: { kind: 'sqlite', path, rule }, stateDir: config.directories.state } as const;
  return { project, identity: lookUpIdentity(place) };
};

/** The path of the store's file; undefined for a store on a server. */
export const fileOf = ({ engine, path }: StoreAt): string | undefined => (engine === 'sqlite' ? path : undefined);

export const mayWrite = ({ config }: StoreAt): boolean => MODES[config.mode].store !== 'read';

/** The options for opening, rotating and restoring a log. */
export const logOptions = ({ keys, heads, site, node }: StoreAt, store: Store): OpenLogOptions => ({
  store,
  keys,
  heads,
  site,
  node,
  now: isoClock(),
});
