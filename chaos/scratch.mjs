// Where a run happens: a folder of its own with store, state directory and a copy of the switchboard file. Nothing of the
// user's is written to.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * @typedef {object} Scratch
 * @property {string} folder
 * @property {string} database
 * @property {string} board the copy of the switchboard file
 * @property {NodeJS.ProcessEnv} env what Colibri is started with
 * @property {Record<string, string>} givenBack variables that Colibri has and servers must not: what they get instead
 */

/** Colibri's state directory follows one variable; which one depends on the system. */
const stateVariable = process.platform === 'darwin' ? 'HOME' : 'XDG_STATE_HOME';

/** Nothing of the caller's: for servers of our own. @param {string} folder */
const bareEnvironment = (folder) => ({
  PATH: process.env.PATH,
  HOME: join(folder, 'home'),
  TMPDIR: join(folder, 'tmp'),
  XDG_DATA_HOME: join(folder, 'data'),
  XDG_CONFIG_HOME: join(folder, 'config'),
});

/** The caller's own, as their servers expect it, without what is meant for another Colibri. */
const callersEnvironment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('COLIBRI_')));

/** @param {boolean} isOwn the user's servers are started @returns {Scratch} */
export const makeScratch = (isOwn) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'colibri-chaos-')));
  for (const name of ['home', 'tmp', 'state']) mkdirSync(join(folder, name));
  const home = homedir();
  const was = process.env[stateVariable] ?? (stateVariable === 'HOME' ? home : join(home, '.local', 'state'));
  const database = join(folder, 'colibri.db');
  const board = join(folder, 'switchboard.json');
  return {
    folder,
    database,
    board,
    env: {
      ...(isOwn ? callersEnvironment() : bareEnvironment(folder)),
      [stateVariable]: join(folder, 'state'),
      COLIBRI_DB_PATH: database,
      COLIBRI_PROJECT_DIR: folder,
      COLIBRI_SWITCHBOARD: board,
    },
    givenBack: isOwn ? { [stateVariable]: was } : {},
  };
};

/** @param {Scratch} scratch */
export const removeScratch = ({ folder }) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
