// Gathers what init and uninstall work with: the settings, the project, and the command that clients start.
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Around, Launch } from '../../clients/client.js';
import { type Config, type Env, readEnv, VARIABLES, workingDirectory } from '../../config.js';
import { bundledFile } from '../../core/installed.js';
import { MODES, quote } from '../../modes.js';
import { identityRoot, pairedId } from '../../start/identity.js';
import { readKnownProjects } from '../../start/known-projects.js';
import { resolveProject } from '../../start/project.js';
import { commandSettings } from '../settings.js';
import { wrong } from '../target.js';

export interface Setting {
  readonly config: Config;
  readonly env: Env;
  readonly around: Around;
  readonly launch: Launch;
  /** The id for a project that has none. It is generated once, so that the id shown is the id written. */
  readonly newProjectId: string;
}

/** The project's folder. A folder given by --project becomes a project, as with `git init`; home and root never do. */
const projectOf = (config: Config, named: string | undefined, home: string): string | undefined => {
  const found = resolveProject(config.projectHints);
  if (!found.none) return found.dir;
  if (named === undefined) return undefined;
  const dir = realpathSync(resolve(workingDirectory(), named));
  return [realpathSync(home), '/'].includes(dir) ? undefined : dir;
};

/** Variables copied into Colibri's entry: a client started from the desktop lacks them, but must use the same store. */
const CARRIED = ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/** The variable that `--toolsets` writes into the entries. */
const toolsetsVariable = (text: string | undefined): readonly (readonly [string, string])[] => {
  if (text === undefined) return [];
  const { parse, values } = VARIABLES.COLIBRI_TOOLSETS;
  const sets = parse(text, { cwd: '', home: '' });
  if (sets === undefined) throw wrong(`--toolsets ${quote(text)} is not allowed.`, `Allowed: ${values}.`);
  return [['COLIBRI_TOOLSETS', sets.join()]];
};

const launchFrom = (env: Env, toolsets: string | undefined): Launch => {
  const main = fileURLToPath(bundledFile('cli/main.js'));
  const carried = CARRIED.map((name) => [name, env[name] ?? ''] as const).filter(([, value]) => isAbsolute(value));
  return {
    command: process.execPath,
    args: [main, 'serve'],
    env: Object.fromEntries([...carried, ...toolsetsVariable(toolsets)]),
  };
};

/** The project id that this machine knows for the folder, else a new id. */
const projectIdFor = (dir: string | undefined, config: Config): string => {
  const known = dir && pairedId(readKnownProjects(config.directories.state) ?? [], identityRoot(dir));
  return known ?? randomBytes(16).toString('hex');
};

interface SettingOptions {
  readonly toolsets?: string;
  /** True if nothing in the project is to be changed. */
  readonly user?: true;
}

export const settingFor = (project: string | undefined, { toolsets, user }: SettingOptions = {}): Setting => {
  const home = homedir();
  const env = readEnv();
  const config = commandSettings(project, env, home);
  if (MODES[config.mode].store === 'read')
    throw wrong('This command writes, and COLIBRI_MODE=READONLY forbids it.', 'Unset COLIBRI_MODE.');
  const projectDir = user ? undefined : projectOf(config, project, home);
  const around = { home, platform: process.platform, env, projectDir, isThere: existsSync };
  return { config, env, around, launch: launchFrom(env, toolsets), newProjectId: projectIdFor(projectDir, config) };
};

/** Throws if npx runs this copy of Colibri: npx removes its copies some day, and the client's entry would then point to nothing. */
export const assertLasting = ({ args: [main = ''] }: Launch): void => {
  if (!/[\\/]_npx[\\/]/.test(main)) return;
  throw wrong(
    `${main} is a temporary copy that npx made.`,
    'Install Colibri first, then run the installed `colibri init`.',
  );
};
