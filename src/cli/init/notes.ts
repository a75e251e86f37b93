// Notes about consequences of a plan that the person must judge: shared files, the store, settings.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { managedFile } from '../../clients/claude-code.js';
import type { FileChange } from './changes.js';
import type { Chosen } from './import.js';
import type { ImportRow, Moved } from './moved.js';
import { clientPlaceOf } from './plan.js';
import type { Setting } from './setting.js';

/** The clients' files in the project that lose servers by the changes. */
const filesLosingServers = (files: readonly FileChange[], projectDir: string | undefined): readonly string[] =>
  files
    .filter(({ file, inverse }) => {
      const isClients = inverse.kind === 'servers' && inverse.client !== undefined;
      const isShared = projectDir !== undefined && file.startsWith(`${projectDir}/`);
      return isClients && isShared && inverse.edits.some(({ now }) => now === undefined);
    })
    .map(({ file }) => file);

/** Notes about the store: a project with a .colibri folder has its own; earlier records stay in the old store. */
const storeNotes = ({ around, config }: Setting): readonly string[] => {
  const { projectDir } = around;
  if (projectDir === undefined)
    return ['There is no project here, so the store in your data directory is used. --project <dir> names a project.'];
  const older = join(config.directories.data, 'colibri.db');
  const isNew = !existsSync(join(projectDir, '.colibri')) && config.dbPath === undefined;
  return isNew && existsSync(older)
    ? [`The store of this project is .colibri/colibri.db from now on; what was recorded before is in ${older}.`]
    : [];
};

/** The note that all clients share one switchboard, so a server that one client had becomes visible to all. */
const sharedServersNote = (rows: readonly ImportRow[]): readonly string[] => {
  const names = rows.flatMap(({ scope, verdict, as }) => (scope === 'user' && verdict !== 'left' ? [as] : []));
  if (names.length === 0) return [];
  return [
    `There is one switchboard: from then on every client that starts Colibri at user level gets all the user-level servers that move, whichever client had them: ${[...new Set(names)].join(', ')}.`,
  ];
};

export const sharingNotes = (
  rows: Moved['rows'],
  files: readonly FileChange[],
  projectDir: string | undefined,
): readonly string[] => [
  ...sharedServersNote(rows),
  ...filesLosingServers(files, projectDir).map(
    (file) => `${file} is shared with the repository: if you commit it, others lose the servers that move.`,
  ),
];

export const notesFor = (chosen: readonly Chosen[], setting: Setting): readonly string[] => {
  const { around } = setting;
  const shared = chosen.filter(({ scope }) => scope === 'project').map((one) => clientPlaceOf(one, around).file);
  const settings = Object.keys(around.env).filter((name) => name.startsWith('COLIBRI_') && around.env[name]);
  const managed = managedFile(around);
  const isManaged = chosen.some(({ client }) => client.id === 'claude-code') && existsSync(managed);
  return [
    ...storeNotes(setting),
    ...shared.map((file) => `${file} is shared with the repository, and the paths in the entry are this machine's.`),
    ...(isManaged ? [`${managed} is there: Claude Code starts only the servers in it.`] : []),
    ...settings.map((name) => `${name} is set here; the entries do not contain it.`),
  ];
};
