// Finds the MCP clients on this machine, reads the servers in their files, and plans changes of those files.
import { existsSync } from 'node:fs';
import type { Around, Client, ClientPlace, ClientScope } from '../../clients/client.js';
import { EditError, editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { CLIENTS } from '../../clients/table.js';
import type { JsonObject } from '../../proof/json-object.js';
import { onPath } from '../paths.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import type { ClientCommandRun } from './own-commands.js';

export const OUR_NAME = 'colibri';

const isThere = (client: Client, around: Around): boolean =>
  client.traces(around).some((path) => existsSync(path)) ||
  (client.program !== undefined && onPath(client.program, around.env) !== undefined);

export const clientsThere = (around: Around): readonly Client[] =>
  Object.values(CLIENTS).filter((client) => isThere(client, around));

/** Runs an edit of a file; turns an EditError into an error of one line that names the file. */
export const edited = <T>(file: string, edit: () => T): T => {
  try {
    return edit();
  } catch (thrown) {
    if (thrown instanceof EditError) throw wrong(`${file}: ${thrown.message}.`, 'Nothing was changed.');
    throw thrown;
  }
};

export const serversIn = (place: ClientPlace, { projectDir }: Around): JsonObject => {
  const text = readText(place.file, projectDir);
  return text === undefined ? {} : edited(place.file, () => readServers(text, place));
};

/** Names of servers that the user has switched off in a client. Throws if the list cannot be read: these servers must not be started. */
export const switchedOff = (client: Client, around: Around): ReadonlySet<string> => {
  const lists = client.switchedOff?.(around) ?? [];
  return new Set(
    lists.flatMap(({ file, keys }) => {
      const above = serversIn({ scope: 'user', file, format: 'json', keys: keys.slice(0, -1) }, around);
      const list = above[keys.at(-1) ?? ''];
      return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
    }),
  );
};

/** A change of one server in one file of a client. */
export interface PlacedEdit {
  readonly client: Client;
  readonly place: ClientPlace;
  readonly name: string;
  readonly was?: unknown;
  readonly now?: unknown;
}

const asEdit = ({ place: { keys }, name, was, now }: PlacedEdit): ServerEdit => ({
  keys,
  name,
  ...(was !== undefined && { was }),
  ...(now !== undefined && { now }),
});

/**
 * The client's own commands for these changes, if it has any and is installed. No command adds a server other than Colibri: the
 * server's entry may contain secrets, and other users can read a command line.
 */
export const clientCommandsFor = (edits: readonly PlacedEdit[], around: Around): ClientCommandRun | undefined => {
  const commands = edits[0]?.client.commands;
  const program = commands && onPath(commands.program, around.env);
  if (commands === undefined || program === undefined) return undefined;
  const lists = edits.map(({ place, name, was, now }) => {
    const scope = place.scope as ClientScope;
    if (!commands.covers(scope) || (now !== undefined && name !== OUR_NAME)) return undefined;
    return now === undefined
      ? commands.remove(scope, name)
      : commands.add(scope, name, now as JsonObject, was !== undefined);
  });
  if (lists.some((list) => list === undefined)) return undefined;
  return { program, commands: lists.flatMap((list) => list ?? []), cwd: around.projectDir ?? around.home };
};

const SHARED = 0o666;
const PRIVATE = 0o600;

/** The permissions of a new file: the usual ones in a project; elsewhere only the user may read the file. */
export const modeFor = (file: string, { projectDir }: Around): number =>
  projectDir !== undefined && file.startsWith(`${projectDir}/`) ? SHARED : PRIVATE;

/** Groups edits by file, in order of first appearance. */
const byFile = (edits: readonly PlacedEdit[]): readonly (readonly PlacedEdit[])[] =>
  [...new Set(edits.map(({ place }) => place.file))].map((file) => edits.filter(({ place }) => place.file === file));

const changeOf = (
  edits: readonly PlacedEdit[],
  { client, place }: PlacedEdit,
  around: Around,
): readonly FileChange[] => {
  const { file, format } = place;
  const before = readText(file, around.projectDir);
  const serverEdits = edits.map(asEdit);
  const after = edited(file, () => editServers(before, format, serverEdits));
  if (after === before) return [];
  const scopes = [...new Set(edits.map((edit) => edit.place.scope))].join(' and ');
  const own = clientCommandsFor(edits, around);
  return [
    {
      file,
      what: `${client.title}, ${scopes} scope`,
      before,
      after,
      mode: modeFor(file, around),
      inverse: { kind: 'servers', format, edits: serverEdits, client: client.id },
      ...(own && { own }),
    },
  ];
};

/** The changes of the clients' files: one for each file whose text would change. */
export const clientChanges = (edits: readonly PlacedEdit[], around: Around): readonly FileChange[] =>
  byFile(edits).flatMap((here) => (here[0] === undefined ? [] : changeOf(here, here[0], around)));
