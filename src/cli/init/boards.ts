// Edits the switchboard files that imported servers move into: a server of user scope goes into the user's file, others go into the
// project's file. The switchboard reads both files (docs/adr/0049).
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Around } from '../../clients/client.js';
import { editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { explained } from '../../files/explained.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import type { Approval } from '../../switchboard/config/approvals.js';
import { parseSwitchboard, type SwitchboardConfig } from '../../switchboard/config/config.js';
import { approvalFor, isAsGiven } from '../../switchboard/config/consent.js';
import { projectFile, userFile } from '../../switchboard/config/place.js';
import type { Environment } from '../../switchboard/config/variables.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import { modeFor } from './client-files.js';

type BoardKind = 'user' | 'project';

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
  const servers = text === undefined ? {} : explained(file, () => readServers(text, { format: 'json', keys: KEYS }));
  return { kind, file, text, servers };
};

export interface ClientBoards {
  readonly user: ClientBoard;
  readonly project?: ClientBoard;
}

export const boardsFor = (around: Around, configDir: string): ClientBoards => ({
  user: openBoard('user', userFile(configDir)),
  ...(around.projectDir !== undefined && {
    project: openBoard('project', projectFile(around.projectDir), around.projectDir),
  }),
});

/** True if two servers have the same command, arguments, environment, URL and headers, and offer the same tools. */
export const isSameServer = (a: unknown, b: JsonObject): boolean => {
  const essence = (server: JsonObject) => {
    const { command, args = [], env = {}, url, headers = {}, tools } = server;
    const { allow, deny = [] } = isObject(tools) ? tools : {};
    return { command, args, env, url, headers, allow, deny };
  };
  return isObject(a) && isDeepStrictEqual(essence(a), essence(b));
};

/** The keys in which two entries of the same server differ: its folder, inherited variables, time-outs, lists of tools. */
export const differingKeys = (a: unknown, b: JsonObject): readonly string[] => {
  const other = isObject(a) ? a : {};
  const keys = new Set([...Object.keys(other), ...Object.keys(b)]);
  const essential = ['args', 'env', 'headers']; // an empty one equals an absent one
  return [...keys].filter((key) => !essential.includes(key) && !isDeepStrictEqual(other[key], b[key]));
};

const editsFor = (added: JsonObject): readonly ServerEdit[] =>
  Object.entries(added).map(([name, now]) => ({ keys: KEYS, name, now }));

const textWith = ({ file, text }: ClientBoard, edits: readonly ServerEdit[]): string =>
  explained(file, () => editServers(text, 'json', edits));

/** The change that adds servers to the switchboard file; undefined if there is nothing to add. */
export const boardChange = (board: ClientBoard, added: JsonObject, around: Around): FileChange | undefined => {
  const edits = editsFor(added);
  if (edits.length === 0) return undefined;
  return {
    file: board.file,
    what: `switchboard, ${board.kind === 'user' ? "the user's own" : "the project's"}`,
    before: board.text,
    after: textWith(board, edits),
    mode: modeFor(board.file, around),
    inverse: { kind: 'servers', format: 'json', edits },
  };
};

const EMPTY = '{"mcpServers": {}}';

/** The switchboard file as the switchboard would read it after the servers are added. */
export const readClientBoard = (board: ClientBoard, added: JsonObject, env: Environment): SwitchboardConfig => {
  const { file } = board;
  const config = parseSwitchboard(textWith(board, editsFor(added)) || EMPTY, { file, env, configDir: dirname(file) });
  const [first] = config.errors;
  if (first !== undefined) throw wrong(`${file}: ${first.path} ${first.message}.`, 'Nothing was changed.');
  return config;
};

/**
 * The approvals of added servers: a person who lets init write a server into a project's file has approved the server as shown. A server to
 * which the file's defaults or routes add something, or that was in the file before, is not approved here: that needs `switchboard
 * approve`.
 */
export const approvalsFor = (
  board: ClientBoard,
  config: SwitchboardConfig,
  given: JsonObject,
): readonly Omit<Approval, 'at'>[] =>
  board.kind === 'user'
    ? []
    : config.servers
        .filter((server) => Object.hasOwn(given, server.name) && isAsGiven(server, config, given[server.name]))
        .map((server) => approvalFor(server, config));
