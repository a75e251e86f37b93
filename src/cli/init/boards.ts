// Edits the switchboard files that imported servers move into: a server of user scope goes into the user's file, others go into the
// project's file. The switchboard reads both files (docs/adr/0049).
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Around } from '../../clients/client.js';
import { editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import type { Approval } from '../../switchboard/config/approvals.js';
import { parseSwitchboard, type SwitchboardConfig } from '../../switchboard/config/config.js';
import { approvalFor, isAsGiven } from '../../switchboard/config/consent.js';
import { projectFile, userFile } from '../../switchboard/config/place.js';
import type { Environment } from '../../switchboard/config/variables.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import { edited, modeFor } from './client-files.js';

export type BoardKind = 'user' | 'project';

export interface ClientBoard {
  readonly kind: BoardKind;
  readonly file: string;
  /** The text of the switchboard file; undefined if there is no file yet. */
  readonly text: string | undefined;
  readonly servers: JsonObject;
}

const KEYS = ['mcpServers'];

const openBoard = (kind: BoardKind, file: string, projectDir?: string): ClientBoard => {
  const text = readText(file, projectDir);
  const servers = text === undefined ? {} : edited(file, () => readServers(text, { format: 'json', keys: KEYS }));
  return { kind, file, text, servers };
};

export const boardsFor = (around: Around, configDir: string): Readonly<Partial<Record<BoardKind, ClientBoard>>> => ({
  user: openBoard('user', userFile(configDir)),
  ...(around.projectDir !== undefined && {
    project: openBoard('project', projectFile(around.projectDir), around.projectDir),
  }),
});

/** True if command, arguments, environment, URL and headers are equal; ignores the working directory and inherited variables. */
export const isSameServer = (a: unknown, b: JsonObject): boolean => {
  const essence = (server: JsonObject) => {
    const { command, args = [], env = {}, url, headers = {} } = server;
    return { command, args, env, url, headers };
  };
  return isObject(a) && isDeepStrictEqual(essence(a), essence(b));
};

const editsFor = ({ servers }: ClientBoard, added: JsonObject): readonly ServerEdit[] =>
  Object.entries(added)
    .filter(([name]) => !Object.hasOwn(servers, name))
    .map(([name, now]) => ({ keys: KEYS, name, now }));

/** The change that adds servers to the switchboard file; undefined if there is nothing to add. */
export const boardChange = (board: ClientBoard, added: JsonObject, around: Around): FileChange | undefined => {
  const edits = editsFor(board, added);
  if (edits.length === 0) return undefined;
  return {
    file: board.file,
    what: `switchboard, ${board.kind === 'user' ? "the user's own" : "the project's"}`,
    before: board.text,
    after: edited(board.file, () => editServers(board.text, 'json', edits)),
    mode: modeFor(board.file, around),
    inverse: { kind: 'servers', format: 'json', edits },
  };
};

const EMPTY: Pick<SwitchboardConfig, 'servers' | 'routes'> = { servers: [], routes: [] };

/** The switchboard file as the switchboard would read it after the servers are added. */
export const readClientBoard = (
  board: ClientBoard,
  added: JsonObject,
  variables: Environment,
): Pick<SwitchboardConfig, 'file' | 'servers' | 'routes'> => {
  const edits = editsFor(board, added);
  const text = edited(board.file, () => editServers(board.text, 'json', edits));
  if (text === '') return { file: board.file, ...EMPTY };
  const around = { file: board.file, env: variables, configDir: dirname(board.file) };
  const config = parseSwitchboard(text, around);
  const [first] = config.errors;
  if (first !== undefined) throw wrong(`${board.file}: ${first.path} ${first.message}.`, 'Nothing was changed.');
  return config;
};

/**
 * The approvals of added servers: a person who lets init write a server into a project's file has approved the server as shown. A
 * server that the file's defaults or routes extend, or that was in the file before, is not approved here: `switchboard approve` shows it.
 */
export const approvalsFor = (
  board: ClientBoard,
  config: Pick<SwitchboardConfig, 'file' | 'servers' | 'routes'>,
  given: JsonObject,
): readonly Omit<Approval, 'at'>[] =>
  board.kind === 'user'
    ? []
    : config.servers
        .filter((server) => Object.hasOwn(given, server.name) && isAsGiven(server, config, given[server.name]))
        .map((server) => approvalFor(server, config));
