// Reads the settings of a command by the same rules as `serve`, with the working directory as the starting point.
import { homedir } from 'node:os';
import { type Config, type Env, parseConfig, readEnv, workingDirectory } from '../config.js';

/** The settings of a command. `project`: the folder that `--project` names. */
export const commandSettings = (project: string | undefined, env: Env = readEnv(), home = homedir()): Config =>
  parseConfig(env, { cwd: workingDirectory(), home, platform: process.platform, projectFlag: project });
