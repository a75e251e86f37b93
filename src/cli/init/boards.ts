// The switchboard files that imported servers move into. A server of the user's goes into the user's own file, one of the project into
// the project's. Both count (docs/adr/0049).
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
  /** Undefined: there is none yet. */
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

/** What makes two servers the same: not where they start, nor what they inherit. */
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

/** The file with more servers in it; undefined where nothing is added. */
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

/** The file, as the switchboard would read it once these were added. */
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
 * Whoever lets init write a server into a project's file has agreed to it as it was shown. What the file's own defaults and routes
 * add to it, or an entry of that name that was there before, is another matter: `switchboard approve` shows those.
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
