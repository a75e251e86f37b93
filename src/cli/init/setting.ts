// Whom init and uninstall work for: settings, the project, and the command that clients are to start.
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Around, Launch } from '../../clients/client.js';
import { type Config, type Env, readEnv, workingDirectory } from '../../config.js';
import { MODES } from '../../modes.js';
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
  /** For a project that has none: made once, so that what is shown is what is written. */
  readonly newProjectId: string;
}

/** A folder that was named is a project from now on, as `git init` would have it; home and root never are. */
const projectOf = (config: Config, named: string | undefined, home: string): string | undefined => {
  const found = resolveProject(config.projectHints);
  if (!found.none) return found.dir;
  if (named === undefined) return undefined;
  const dir = realpathSync(resolve(workingDirectory(), named));
  return [realpathSync(home), '/'].includes(dir) ? undefined : dir;
};

/** A desktop does not know what a terminal's profile has set, and the store must be the same for both. */
const CARRIED = ['XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

const launchFrom = (env: Env): Launch => {
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const carried = CARRIED.flatMap((name) => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? [[name, value] as const] : [];
  });
  return { command: process.execPath, args: [main, 'serve'], env: Object.fromEntries(carried) };
};

/** One that this machine knows for the folder counts again. */
const projectIdFor = (dir: string | undefined, config: Config): string => {
  const known = dir === undefined ? [] : (readKnownProjects(config.directories.state) ?? []);
  return (dir === undefined ? undefined : pairedId(known, identityRoot(dir))) ?? randomBytes(16).toString('hex');
};

export const settingFor = (project: string | undefined): Setting => {
  const home = homedir();
  const env = readEnv();
  const config = commandSettings(project, env, home);
  if (MODES[config.mode].store === 'read') throw wrong('Nothing is written in mode READONLY.', 'Unset COLIBRI_MODE.');
  const projectDir = projectOf(config, project, home);
  const around = { home, platform: process.platform, env, projectDir };
  return { config, env, around, launch: launchFrom(env), newProjectId: projectIdFor(projectDir, config) };
};

/** npx's copy goes away by itself, and the entry would lead nowhere. */
export const assertLasting = ({ args: [main = ''] }: Launch): void => {
  if (!/[\\/]_npx[\\/]/.test(main)) return;
  throw wrong(`${main} is npx's own copy and will not stay.`, 'Install Colibri first, then run its init.');
};
