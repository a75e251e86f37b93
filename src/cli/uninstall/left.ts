// What uninstall leaves: evidence, the user's own work, the program.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { approvalsFile } from '../../switchboard/config/approvals.js';
import { userFile } from '../../switchboard/config/place.js';
import { secretsFile } from '../../switchboard/config/secrets.js';
import { type InitRun, journalDir } from '../init/journal.js';
import type { Setting } from '../init/setting.js';
import { isFolder } from '../paths.js';
import { plain } from '../screen/print.js';

const namesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);

/** Nobody misses a folder without a file in it. */
const isEmptyFolder = (path: string): boolean =>
  isFolder(path) && namesIn(path).every((name) => isEmptyFolder(join(path, name)));

/** Files that would go with a run that is not taken back yet. */
const madeBy = (runs: readonly InitRun[]): readonly string[] =>
  runs.flatMap(({ files }) => files.filter(({ before }) => before === null).map(({ file }) => file));

/** What init has done so far. */
export interface Known {
  readonly runs: readonly InitRun[];
  /** In which it was run, also where that was taken back. */
  readonly projects: readonly string[];
}

/** `isBefore`: asked before anything is taken out. */
export const leftovers = (setting: Setting, { runs, projects }: Known, isBefore: boolean): readonly string[] => {
  const { config, around, launch } = setting;
  const { data, state } = config.directories;
  const going = new Set(isBefore ? [...madeBy(runs), journalDir(state), approvalsFile(state), secretsFile(state)] : []);
  const stays = (file: string): boolean => existsSync(file) && !going.has(file) && !isEmptyFolder(file);
  const folders = [...new Set([around.projectDir, ...projects].filter((dir) => dir !== undefined))]
    .map((dir) => join(dir, '.colibri'))
    .filter((dir) => namesIn(dir).some((name) => stays(join(dir, name))));
  const files = [
    ...(config.dbPath === undefined ? [] : [config.dbPath]),
    join(data, 'colibri.db'),
    userFile(config.directories.config),
    ...namesIn(state).map((name) => join(state, name)),
  ].filter(stays);
  const program = dirname(dirname(dirname(launch.args[0] ?? '')));
  return [...files, ...folders, program];
};

export const showLeft = (left: readonly string[], out: (line: string) => void): void => {
  out('These stay, and are yours:');
  for (const path of left) out(`  ${plain(path)}`);
  out('The command `colibri`, if npm link made it: npm uninstall --global colibri');
};
