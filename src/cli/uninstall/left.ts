// Lists what uninstall leaves on the machine: stores, keys, signed heads, the user's own files, the program.
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

/** True for an empty folder, and for a folder that contains only empty folders. */
const isEmptyFolder = (path: string): boolean =>
  isFolder(path) && namesIn(path).every((name) => isEmptyFolder(join(path, name)));

/** The files that init created in these runs; the undo of the runs removes them. */
const createdBy = (runs: readonly InitRun[]): readonly string[] =>
  runs.flatMap(({ files }) => files.filter(({ before }) => before === null).map(({ file }) => file));

/** The runs and projects that the journal of init lists. */
export interface Known {
  readonly runs: readonly InitRun[];
  /** Folders of the projects that init was run in, also if every run was undone. */
  readonly projects: readonly string[];
}

/** What uninstall leaves. `isBefore`: true if nothing was removed yet; then files that will be removed are left out. */
export const leftovers = (setting: Setting, { runs, projects }: Known, isBefore: boolean): readonly string[] => {
  const { config, around, launch } = setting;
  const { data, state } = config.directories;
  const going = new Set(
    isBefore ? [...createdBy(runs), journalDir(state), approvalsFile(state), secretsFile(state)] : [],
  );
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
  out('To remove the command `colibri` that npm link made: npm uninstall --global colibri');
};
