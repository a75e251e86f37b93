// opencode: JSON with comments, in `.json` or `.jsonc` files that count together. The command and its arguments are one list. `{env:V}` and
// `{file:path}` are filled in; servers get the whole environment.
import { join } from 'node:path';
import type { JsonObject } from '../proof/canonical-json.js';
import { type Around, type Client, type ClientTarget, inProject, placesIn, type Translated } from './client.js';
import { asMembers, asTexts, type Dialect, Left, translated, translateJson } from './translate.js';

const SERVERS = { format: 'json', keys: ['mcp'] } as const;

// Also on macOS.
const homeDir = ({ env, home }: Around): string => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');

/** The files in the order in which opencode looks for the one to write; those that exist come first. */
const existingFirst = (files: readonly string[], { isThere = () => false }: Around): readonly string[] => [
  ...files.filter(isThere),
  ...files.filter((file) => !isThere(file)),
];

const userFiles = (around: Around): readonly string[] =>
  existingFirst(
    ['opencode.json', 'opencode.jsonc'].map((name) => join(homeDir(around), name)),
    around,
  );

const projectFiles = (around: Around): readonly string[] =>
  existingFirst(
    [
      ...inProject(around, 'opencode.json'),
      ...inProject(around, 'opencode.jsonc'),
      ...inProject(around, '.opencode', 'opencode.json'),
      ...inProject(around, '.opencode', 'opencode.jsonc'),
    ],
    around,
  );

const dialect: Dialect = {
  pattern: /\{((?:env|file):[^}]*)\}|(\$\{[^}]*\})/g,
  // A variable that is not set is an empty text in opencode.
  variable: (inside) => {
    const name = /^env:([A-Za-z_]\w*)$/.exec(inside)?.[1];
    return name && `\${${name}:-}`;
  },
  inheritEnv: 'all',
  cwd: () => 'session',
};

const TYPES: Readonly<Record<string, string>> = { local: 'stdio', remote: 'http' };

/** The time-out of a request in milliseconds, which is a number or a part of an object. */
const timeoutOf = (timeout: unknown): unknown =>
  typeof timeout === 'object' && timeout !== null ? (timeout as { request?: unknown }).request : timeout;

/** The entry in the form of most clients. */
const usual = (entry: JsonObject): JsonObject => {
  const { type, command, environment, timeout, oauth, ...others } = entry;
  const [program, ...args] = command === undefined ? [] : asTexts(command, 'command');
  if (command !== undefined && program === undefined) throw new Left('its command is empty');
  return {
    ...others,
    ...(type !== undefined && { type: TYPES[String(type)] ?? type }),
    ...(program !== undefined && { command: program, args }),
    ...(environment !== undefined && { env: environment }),
    ...(oauth !== undefined && oauth !== false && { oauth }),
    timeout: timeoutOf(timeout),
  };
};

const translate = (value: unknown, target: ClientTarget): Translated =>
  translated(() => translateJson(usual(asMembers(value)), dialect, target));

export const opencode: Client = {
  id: 'opencode',
  title: 'opencode',
  program: 'opencode',
  scopes: ['user', 'project'],
  restart: 'start a new session',
  traces: (around) => [homeDir(around), ...projectFiles(around)],
  places: (around) => [
    ...placesIn('project', projectFiles(around), SERVERS),
    ...placesIn('user', userFiles(around), SERVERS),
  ],
  entry: ({ command, args, env }) => ({
    type: 'local',
    command: [command, ...args],
    ...(Object.keys(env).length > 0 && { environment: env }),
    enabled: true,
  }),
  translate,
};
