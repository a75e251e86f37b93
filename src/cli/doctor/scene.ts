// What the checks of `colibri doctor` inspect and return. Settings, project and store are found as `serve` finds them, but a wrong
// setting does not stop doctor, so that it can report every fault.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Config, readEnv } from '../../config.js';
import { asError, ColibriError, quietly } from '../../errors.js';
import { earlierStoreText, goneFrom } from '../../ledger/binding.js';
import type { Env } from '../../modes.js';
import { type Identity, lookUpIdentity } from '../../start/identity.js';
import { type NoProject, type Project, resolveProject, resolveStore, type StoreChoice } from '../../start/project.js';
import type { ServerLook } from '../../store/postgres/look.js';
import { assertNotNewThroughLink } from '../../store/sqlite/identity.js';
import type { Look } from '../../store/sqlite/look.js';
import { CLI_LIMITS } from '../limits.js';
import { namedStore, type PlaceOptions, type StoreAt, storeAt } from '../place.js';
import { oneLine } from '../screen/print.js';
import { commandSettings } from '../settings.js';

export interface DoctorFinding {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly remedy?: string;
  /** Further lines to print below the finding's message. */
  readonly details?: readonly string[];
}

/** The settings, project and store that the checks inspect; parts that are broken are undefined. */
export interface Scene {
  readonly config: Config;
  readonly project: Project | NoProject;
  readonly identity: Identity | undefined;
  /** Findings about settings with wrong values; doctor ignores these settings. */
  readonly settings: readonly DoctorFinding[];
  /** The place where the store is or would be. */
  readonly at: StoreAt | undefined;
  /** The finding that says why no place for a store could be chosen. */
  readonly noStore: DoctorFinding | undefined;
  /** What SQLite reports about the store; a finding if the store cannot be opened. */
  readonly look: Look | DoctorFinding | undefined;
  /** What the database server reports about itself, if the store is on one; a finding if the store cannot be opened. */
  readonly server: ServerLook | DoctorFinding | undefined;
}

/** One check of doctor. A check never changes anything. If a check throws, doctor reports a problem. */
export type Check = (scene: Scene) => Promise<readonly DoctorFinding[]> | readonly DoctorFinding[];

export const ok = (message: string): DoctorFinding => ({ state: 'ok', message });
export const warning = (message: string, remedy: string): DoctorFinding => ({ state: 'warning', message, remedy });
export const problem = (message: string, remedy: string): DoctorFinding => ({ state: 'problem', message, remedy });

/** The store if its records can be read: it opens, and it has the schema of this version. */
export const openable = ({ at, look, server }: Scene): StoreAt | undefined => {
  const seen = look ?? server;
  return seen !== undefined && 'version' in seen && seen.version === seen.newest ? at : undefined;
};

/** The home folder; `/` if the user has no entry in passwd. */
const home = (): string => quietly(homedir) ?? '/';

const OURS = /^(COLIBRI_|AMS_MODE$)/;

const without = (env: Env, names: readonly string[]): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

const faultIn = (env: Env, projectFlag?: string): string | undefined => {
  try {
    commandSettings(projectFlag, env, home());
    return undefined;
  } catch (thrown) {
    return asError(thrown).message;
  }
};

const UNSET = 'Correct or unset the variable where your client or your shell sets it.';

/** Parses each of Colibri's environment variables separately, so that one wrong value does not hide another. */
const settingsOf = (flag: string | undefined): { config: Config; findings: DoctorFinding[] } => {
  const env = readEnv();
  const ours = Object.keys(env).filter((name) => OURS.test(name));
  const others = without(env, ours);
  const faults = ours.map((name) => ({ name, fault: faultIn({ ...others, [name]: env[name] }) }));
  const wrong = faults.filter(({ fault }) => fault !== undefined);
  const findings = wrong.map(({ fault = '' }) => problem(fault, UNSET));
  const names = wrong.map(({ name }) => name);
  const good = without(env, names);
  const flagFault = faultIn(good, flag);
  if (flagFault !== undefined) findings.push(problem(flagFault, 'Give a folder with --project.'));
  const config = commandSettings(flagFault === undefined ? flag : undefined, good, home());
  findings.push(...config.warnings.map((line) => warning(line, 'Unset the variable if nothing needs it.')));
  return { config, findings };
};

/** The project. A named folder that does not exist stops `serve`; doctor reports it and goes on without a project. */
const projectOf = (config: Config, findings: DoctorFinding[]): Project | NoProject => {
  try {
    return resolveProject(config.projectHints);
  } catch (thrown) {
    findings.push(problem(oneLine(thrown), 'Name a folder that exists.'));
    return { none: true, rule: 'no project' };
  }
};

/** The store by rule. Where the file with its address cannot be used, `serve` does not start; doctor reports it and goes on without a store. */
const choiceOf = (config: Config, project: Project | NoProject, findings: DoctorFinding[]): StoreChoice => {
  try {
    return resolveStore(config, project);
  } catch (thrown) {
    if (!(thrown instanceof ColibriError)) throw thrown;
    findings.push(problem(thrown.message, thrown.remedy ?? UNSET));
    return { kind: 'none', rule: 'the store is not known: see settings' };
  }
};

const storeOf = (config: Config, choice: StoreChoice): Pick<Scene, 'at' | 'noStore'> => {
  return choice.kind === 'sqlite' || choice.kind === 'postgres'
    ? { at: storeAt(config, choice), noStore: undefined }
    : { at: undefined, noStore: ok(choice.rule) };
};

/** The finding that a store with signed records was here and is gone; undefined if there never was one. */
const goneStore = ({ path, heads, site }: StoreAt): DoctorFinding | undefined => {
  const gone = quietly(() => earlierStoreText(goneFrom(heads, site)));
  return gone === undefined
    ? undefined
    : problem(`There is no store at ${path} any more. ${gone}`, 'colibri restore says what can be put back.');
};

type ScenePlace = Omit<Scene, 'look' | 'server'>;

/** Everything that the checks inspect, except what SQLite or the server reports about the store: lookingAt adds that. */
export const scenePlaceOf = ({ project: flag, db }: PlaceOptions): ScenePlace => {
  const { config, findings } = settingsOf(flag);
  const project = projectOf(config, findings);
  const choice = db === undefined ? choiceOf(config, project, findings) : namedStore(db);
  const identity = project.none ? undefined : lookUpIdentity({ project, choice, stateDir: config.directories.state });
  return { config, project, identity, settings: findings, ...storeOf(config, choice) };
};

/** The finding if there is no regular file at the path. Checked first, because SQLite would wait for ever on a named pipe. */
const fileFault = (at: StoreAt): DoctorFinding | undefined => {
  const { path, rule } = at;
  try {
    assertNotNewThroughLink(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined)
      return (
        goneStore(at) ??
        warning(`There is no store at ${path} (${rule}) yet.`, 'A client that starts Colibri makes it.')
      );
    return stats.isFile()
      ? undefined
      : problem(`${path} is not a file.`, `Move ${path} away, or name another store with --db.`);
  } catch (thrown) {
    if (thrown instanceof ColibriError) return problem(`${thrown.message}.`, thrown.remedy ?? '');
    return problem(`${path} cannot be reached: ${asError(thrown).message}.`, 'Give this user access to its folder.');
  }
};

const cannotOpen = (thrown: unknown): DoctorFinding => {
  const remedy = thrown instanceof ColibriError ? thrown.remedy : undefined;
  return problem(`The store cannot be opened: ${asError(thrown).message}.`, remedy ?? 'Reinstall Colibri.');
};

const lookOrFinding = (look: () => Look): Look | DoctorFinding => {
  try {
    return look();
  } catch (thrown) {
    return cannotOpen(thrown);
  }
};

const serverLook = async ({ url = '', path }: StoreAt): Promise<ServerLook | DoctorFinding> => {
  const { lookAtServer } = await import('../../store/postgres/look.js');
  return lookAtServer({ url, backups: path }).catch(cannotOpen);
};

/** Gathers everything that the checks inspect, and runs `work` with it. Leaves no new files in the folder of the store. */
export const lookingAt = async <T>(found: ScenePlace, work: (scene: Scene) => Promise<T>): Promise<T> => {
  const place = { ...found, server: undefined };
  if (found.at?.engine === 'postgres') return work({ ...place, look: undefined, server: await serverLook(found.at) });
  const fault = found.at && fileFault(found.at);
  if (found.at === undefined || fault !== undefined) return work({ ...place, look: fault });
  const { path } = found.at;
  const { holdTidy, lookInto } = await import('../../store/sqlite/look.js');
  const release = holdTidy(path);
  return work({ ...place, look: lookOrFinding(() => lookInto(path, CLI_LIMITS.doctorCheckBytes)) }).finally(release);
};
