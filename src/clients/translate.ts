// Translates a server's entry in a client's file into an entry of the switchboard file, or says why the server stays in the client's
// file. Each client has a dialect; this file holds what the dialects share.
import { basename, isAbsolute, join } from 'node:path';
import { CORE_LIMITS } from '../core/limits.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import type { ClientPlace, ClientTarget, Translated } from './client.js';

export interface Dialect {
  /** Matches a variable in a text; its first group that takes part is the `inside` below. `${…}` if left out. */
  readonly pattern?: RegExp;
  /** The replacement for the variable inside `${…}`; undefined if only the client knows its value. */
  variable(inside: string, target: ClientTarget): string | undefined;
  /** Which of the client's environment variables a server inherits. A list means: those of `minimal` and those in the list. */
  readonly inheritEnv: 'all' | 'minimal' | readonly string[];
  /** The folder in which the client starts a server whose entry has no `cwd`. */
  cwd(scope: ClientPlace['scope']): 'session' | 'home' | 'root';
}

const editorVariable = (inside: string, { kind, around }: ClientTarget): string | undefined => {
  const folder = kind === 'project' ? around.projectDir : undefined;
  switch (inside) {
    case 'userHome':
      return around.home;
    case 'workspaceFolder':
      return folder;
    case 'workspaceFolderBasename':
      return folder && basename(folder);
    case 'pathSeparator':
    case '/':
      return '/';
    default:
      return /^env:[A-Za-z_][A-Za-z0-9_]*$/.test(inside) ? `\${${inside}}` : undefined;
  }
};

/** The dialect of Cursor and VS Code. Variables about the open folder are replaced only for servers of a project. */
export const editorDialect: Dialect = {
  variable: editorVariable,
  inheritEnv: 'all',
  cwd: (scope) => (scope === 'user' ? 'home' : 'session'),
};

/** Thrown with the reason why a server cannot be moved from the client's file to the switchboard file. */
export class Left extends Error {}

const SIGNS_IN = ['oauth', 'auth', 'headersHelper', 'authProviderType'];
const TYPES = ['stdio', 'local', 'http', 'streamable-http', 'streamableHttp', 'sse'];
/** Keys of a server's entry that are read here or that the switchboard does not need. */
const KNOWN = [
  ...['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'timeout'],
  ...['disabled', 'enabled', 'description', 'gallery', 'version'],
];
const VARIABLE = /\$\{([^}]*)\}/g;

const assertMovable = (server: JsonObject): void => {
  if (server.disabled === true || server.enabled === false) throw new Left('it is switched off there');
  const signIn = SIGNS_IN.find((key) => server[key] !== undefined);
  if (signIn !== undefined) throw new Left(`it signs in interactively ("${signIn}")`);
  if (server.envFile !== undefined) throw new Left('it reads variables from a file ("envFile")');
  if (server.sandboxEnabled === true) throw new Left("it runs in the client's sandbox");
  if (server.type !== undefined && !TYPES.includes(String(server.type))) {
    throw new Left(`its type ${JSON.stringify(server.type)} is not known here`);
  }
};

const asText = (value: unknown, key: string): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Left(`"${key}" holds something other than text`);
};

export const asTexts = (value: unknown, key: string): readonly string[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Left(`"${key}" is not a list`);
  return value.map((one) => asText(one, key));
};

export const asMap = (value: unknown, key: string): Readonly<Record<string, string>> => {
  if (value === undefined) return {};
  if (!isObject(value)) throw new Left(`"${key}" is not an object`);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asText(inner, key)]));
};

/** Returns a function that replaces the variables in a text as the client would, unless their values change from run to run. */
const filler =
  (dialect: Dialect, target: ClientTarget) =>
  (text: string): string =>
    text.replace(dialect.pattern ?? VARIABLE, (whole, ...groups: readonly unknown[]) => {
      const inside = String(groups.find((group) => typeof group === 'string'));
      if (inside.startsWith('input:')) throw new Left(`it asks for an input when it starts (\${input:…})`);
      const filled = dialect.variable(inside, target);
      if (filled === undefined) throw new Left(`it uses ${whole}, which only the client can fill in`);
      return filled;
    });

const mapValues = (map: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]));

/** The path from the folder of the switchboard file to the project, so that a server starts in the same folder as before. */
const PROJECT_FROM_FILE = '..';

const IS_RELATIVE = /^\.{1,2}(\/|$)/;

const startFolder = (
  kind: 'session' | 'home' | 'root',
  target: ClientTarget,
  words: readonly string[],
): { readonly cwd: string; readonly changes: readonly string[] } => {
  if (kind === 'root') return { cwd: '/', changes: [] };
  if (kind === 'home') return { cwd: target.around.home, changes: [] };
  if (target.kind === 'project') return { cwd: PROJECT_FROM_FILE, changes: [] };
  if (words.some((word) => IS_RELATIVE.test(word))) {
    throw new Left('it starts in the folder of the session, and its arguments are relative to that');
  }
  return { cwd: target.around.home, changes: ['starts in the home folder, not in that of the session'] };
};

/** A folder that the entry names, for the switchboard file. Clients take a relative one from the folder of the session. */
const namedFolder = (folder: string, { kind }: ClientTarget): string => {
  if (isAbsolute(folder) || folder.startsWith('${')) return folder;
  if (kind === 'user') throw new Left('its folder is relative to that of the session');
  return join(PROJECT_FROM_FILE, folder);
};

export const clampMs = (ms: number): number =>
  Math.min(Math.max(Math.round(ms), CORE_LIMITS.proxiedCallLeastMs), CORE_LIMITS.proxiedCallMs);

export const stdioServer = (
  server: JsonObject,
  dialect: Dialect,
  target: ClientTarget,
): { server: JsonObject; changes: readonly string[] } => {
  const fill = filler(dialect, target);
  const command = fill(asText(server.command, 'command'));
  const args = asTexts(server.args, 'args').map(fill);
  const env = mapValues(asMap(server.env, 'env'), fill);
  const named = server.cwd === undefined ? undefined : namedFolder(fill(asText(server.cwd, 'cwd')), target);
  const start = named === undefined ? startFolder(dialect.cwd(target.scope), target, [command, ...args]) : undefined;
  return {
    server: {
      command,
      ...(args.length > 0 && { args }),
      ...(Object.keys(env).length > 0 && { env }),
      cwd: named ?? start?.cwd,
      inheritEnv: dialect.inheritEnv,
    },
    changes: start?.changes ?? [],
  };
};

const http = (server: JsonObject, dialect: Dialect, target: ClientTarget): JsonObject => {
  const fill = filler(dialect, target);
  const url = fill(asText(server.url, 'url'));
  if (!/^(https?:\/\/|\$\{)/.test(url)) throw new Left('its URL is neither http nor https');
  const headers = mapValues(asMap(server.headers, 'headers'), fill);
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
};

const connection = (server: JsonObject, dialect: Dialect, target: ClientTarget) => {
  if (server.command !== undefined) return stdioServer(server, dialect, target);
  if (server.url !== undefined) return { server: http(server, dialect, target), changes: [] };
  throw new Left('it has neither "command" nor "url"');
};

/** Notes about keys of a server's entry that the switchboard file cannot express. */
export const lostKeys = (server: JsonObject, known: readonly string[]): string[] =>
  Object.keys(server)
    .filter((key) => !known.includes(key))
    .map((key) => `"${key}" has no counterpart and is left out`);

export const asMembers = (server: unknown): JsonObject => {
  if (isObject(server)) return server;
  throw new Left('it is not an object');
};

/** Runs a translation; if it throws the reason why the server cannot be moved, the reason is returned. */
export const translated = (translate: () => Translated): Translated => {
  try {
    return translate();
  } catch (thrown) {
    if (thrown instanceof Left) return { left: thrown.message };
    throw thrown;
  }
};

/** The filter of tools for the switchboard file: those that a client's entry lists, without those that the entry excludes. */
export const toolFilter = (allow: unknown, deny: unknown, keys: readonly [string, string]): JsonObject => {
  const tools = {
    ...(allow !== undefined && { allow: asTexts(allow, keys[0]) }),
    ...(deny !== undefined && { deny: asTexts(deny, keys[1]) }),
  };
  return Object.keys(tools).length > 0 ? { tools } : {};
};

/** Adds settings to a translated server. */
export const addSettings = (done: Translated, settings: JsonObject): Translated =>
  'left' in done ? done : { ...done, server: { ...done.server, ...settings } };

export const translateJson = (value: unknown, dialect: Dialect, target: ClientTarget): Translated =>
  translated(() => {
    const written = asMembers(value);
    assertMovable(written);
    const { server, changes } = connection(written, dialect, target);
    const timeout = typeof written.timeout === 'number' ? { timeoutMs: clampMs(written.timeout) } : {};
    return { server: { ...server, ...timeout }, changes: [...changes, ...lostKeys(written, KNOWN)] };
  });
