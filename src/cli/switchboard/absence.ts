// Checks, without starting anything, whether the program and the folder that a server needs exist.
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { readEnv } from '../../config.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { serverEnvironment } from '../../switchboard/link/inherit-env.js';
import { isProgram } from '../paths.js';

/** The PATH that execvp uses if the environment has none. */
const USUAL_PATH = '/bin:/usr/bin';

/** Says what is missing for a server's start; an empty text if nothing is. */
export const absence = ({ connection, written }: ServerConfig): string => {
  if (connection.kind === 'http' || written.kind === 'http' || process.platform === 'win32') return '';
  const { command, cwd, env, inheritEnv } = connection;
  if (!existsSync(cwd)) return `there is no folder ${written.cwd}`;
  if (command.includes('/')) return isProgram(resolve(cwd, command)) ? '' : `there is no program ${written.command}`;
  const { PATH = USUAL_PATH } = serverEnvironment(inheritEnv, env, readEnv());
  const isThere = PATH.split(delimiter).some((dir) => isProgram(resolve(cwd, dir, command)));
  return isThere ? '' : `there is no program ${written.command} on the PATH`;
};
