// Finds settings, project and store as `serve` does, but goes on when a setting is wrong, so that doctor can report every fault.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { type Config, readEnv } from '../../config.js';
import { asError, ColibriError } from '../../errors.js';
import type { Env } from '../../modes.js';
import { lookUpIdentity } from '../../start/identity.js';
import { type NoProject, type Project, resolveProject, resolveStore, type StoreChoice } from '../../start/project.js';
import { assertNotNewThroughLink } from '../../store/sqlite/identity.js';
import { CLI_LIMITS } from '../limits.js';
import { namedStore, type PlaceOptions, type StoreAt, storeAt } from '../place.js';
import { oneLine } from '../screen/print.js';
import { commandSettings } from '../settings.js';
import { type DoctorFinding, ok, problem, type Scene, warning } from './finding.js';

const home = (): string => {
  try {
    return homedir();
  } catch {
    return '/'; // the user has no entry in passwd
  }
};

const parse = (env: Env, projectFlag: string | undefined): Config => commandSettings(projectFlag, env, home());

const OURS = /^(COLIBRI_|AMS_MODE$)/;

const without = (env: Env, names: readonly string[]): Env =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));

const faultIn = (env: Env, projectFlag?: string): string | undefined => {
  try {
    parse(env, projectFlag);
    return undefined;
  } catch (thrown) {
    return asError(thrown).message;
  }
};

const UNSET = 'Correct or unset it where your client or your shell sets it.';

/** Tries each of Colibri's environment variables alone, so that one wrong value does not hide another. */
const settingsOf = (flag: string | undefined): { config: Config; findings: DoctorFinding[] } => {
  const env = readEnv();
  const ours = Object.keys(env).filter((name) => OURS.test(name));
  const others = without(env, ours);
  const faults = ours.map((name) => ({ name, fault: faultIn({ ...others, [name]: env[name] }) }));
  const wrong = faults.filter(({ fault }) => fault !== undefined);
  const findings = wrong.map(({ fault = '' }) => problem(fault, UNSET));
  const good = without(
    env,
    wrong.map(({ name }) => name),
  );
  const flagFault = faultIn(good, flag);
  if (flagFault !== undefined) findings.push(problem(flagFault, 'Give a folder with --project.'));
  const config = parse(good, flagFault === undefined ? flag : undefined);
  findings.push(...config.warnings.map((line) => warning(line, 'Unset it if nothing needs it.')));
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

const storeOf = (config: Config, choice: StoreChoice): Pick<Scene, 'at' | 'noStore'> => {
  if (choice.kind === 'sqlite') return { at: storeAt(config, choice), noStore: undefined };
  const noStore =
    choice.kind === 'postgres'
      ? problem('COLIBRI_DATABASE_URL: there is no PostgreSQL adapter yet.', 'Unset it to use SQLite.')
      : ok(choice.rule);
  return { at: undefined, noStore };
};

/** The scene without what SQLite reports about the store, which lookingAt adds. */
export const scenePlaceOf = ({ project: flag, db }: PlaceOptions): Omit<Scene, 'look'> => {
  const { config, findings } = settingsOf(flag);
  const project = projectOf(config, findings);
  const choice = db === undefined ? resolveStore(config, project) : namedStore(db);
  const identity = project.none ? undefined : lookUpIdentity({ project, choice, stateDir: config.directories.state });
  return { config, project, identity, settings: findings, ...storeOf(config, choice) };
};

/** The finding if there is no regular file at the path. Checked first, because SQLite would wait for ever on a named pipe. */
const fileFault = ({ path, rule }: StoreAt): DoctorFinding | undefined => {
  try {
    assertNotNewThroughLink(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined)
      return warning(`There is no store at ${path} (${rule}) yet.`, 'Start `colibri serve` once.');
    return stats.isFile() ? undefined : problem(`${path} is not a file.`, 'Move it away, or name another with --db.');
  } catch (thrown) {
    if (thrown instanceof ColibriError) return problem(`${thrown.message}.`, thrown.remedy ?? '');
    return problem(`${path} cannot be reached: ${asError(thrown).message}.`, 'Give this user access to its folder.');
  }
};

const notOpened = (thrown: unknown): DoctorFinding => {
  const remedy = thrown instanceof ColibriError ? thrown.remedy : undefined;
  return problem(`The store cannot be opened: ${asError(thrown).message}.`, remedy ?? 'Reinstall Colibri.');
};

/** Runs `work` with the complete scene. Leaves no new files in the folder of the store. */
export const lookingAt = async <T>(place: Omit<Scene, 'look'>, work: (scene: Scene) => Promise<T>): Promise<T> => {
  if (place.at === undefined) return work({ ...place, look: undefined });
  const { path } = place.at;
  const fault = fileFault(place.at);
  if (fault !== undefined) return work({ ...place, look: fault });
  let release = (): void => {};
  try {
    const { holdTidy, lookInto } = await import('../../store/sqlite/look.js');
    release = holdTidy(path);
    return await work({ ...place, look: attempt(() => lookInto(path, CLI_LIMITS.doctorCheckBytes), notOpened) });
  } finally {
    release();
  }
};

const attempt = <T, U>(act: () => T, otherwise: (thrown: unknown) => U): T | U => {
  try {
    return act();
  } catch (thrown) {
    return otherwise(thrown);
  }
};
