// Parses the COLIBRI_* variables into one frozen object. No other file reads process.env, and here only readEnv does.
// The table below defines the parsing and docs/configuration.md; a test keeps them equal.
// Messages never contain a password: a database URL is shown without its secrets, or not at all.

import { resolve } from 'node:path';
import { isPostgresUrl, urlWithoutSecrets } from './core/database-url.js';
import { deepFreeze } from './core/deep-freeze.js';
import { type Directories, directoriesFor, expandHome } from './core/directories.js';
import { CORE_LIMITS } from './core/limits.js';
import { nearest } from './core/nearest.js';
import { ColibriError, quietly } from './errors.js';
import { type Env, problemLine, quote, RUNTIME_MODES, type RuntimeMode, readMode } from './modes.js';

export type { Env } from './modes.js';

/** The folders that relative and `~/` paths are resolved against. */
interface Base {
  readonly cwd: string;
  readonly home: string;
}

interface Variable<T> {
  /** A text that says which values the variable may have, for docs/configuration.md and error messages. */
  readonly values: string;
  /**
   * The default value as docs/configuration.md shows it. `fallback` is the value itself; undefined if the code that uses the setting has
   * the default.
   */
  readonly default: string;
  readonly meaning: string;
  readonly fallback: T;
  /** Parses the text of an environment variable; undefined if the text is not allowed. Never called with an empty text. */
  parse(text: string, base: Base): T | undefined;
  /** Returns the variable's text as an error message shows it. If absent, the text is quoted. Needed if the text may hold a secret. */
  show?(text: string): string;
}

const absolute = (text: string, { cwd, home }: Base): string => resolve(cwd, expandHome(text, home));

const choice = <const T extends string>(allowed: readonly T[], fallback: T, meaning: string): Variable<T> => ({
  values: allowed.join(' '),
  default: fallback,
  meaning,
  fallback,
  parse: (text) => allowed.find((known) => known === text),
});

const integer = (min: number, max: number, fallback: number, meaning: string): Variable<number> => ({
  values: `${min}–${max}`,
  default: String(fallback),
  meaning,
  fallback,
  parse: (text) => {
    const value = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

/** Names with commas or blanks between them. The first one is always included. */
const namesOf = <const T extends string>(allowed: readonly [T, ...T[]], meaning: string): Variable<readonly T[]> => {
  const [always] = allowed;
  return {
    values: `${allowed.join(' ')}, several with commas`,
    default: always,
    meaning,
    fallback: [always],
    parse: (text) => {
      const given = text.split(/[\s,]+/).filter((name) => name !== '');
      const isKnown = given.length > 0 && given.every((name) => (allowed as readonly string[]).includes(name));
      return isKnown ? allowed.filter((name) => name === always || given.includes(name)) : undefined;
    },
  };
};

/** Ed25519 public keys in hex, with commas or blanks between them. */
const publicKeys = (meaning: string): Variable<readonly string[]> => ({
  values: 'public keys of 64 hex digits, several with commas',
  default: '–',
  meaning,
  fallback: [],
  parse: (text) => {
    const given = text.split(/[\s,]+/).filter((key) => key !== '');
    return given.length > 0 && given.every((key) => /^[0-9a-f]{64}$/.test(key)) ? given : undefined;
  },
});

const path = (byRule: string, meaning: string): Variable<string | undefined> => ({
  values: 'path',
  default: byRule,
  meaning,
  fallback: undefined,
  parse: (text, base) => (NO_PATH.test(text) ? undefined : absolute(text, base)),
});

const databaseUrl = (meaning: string): Variable<string | undefined> => ({
  values: 'postgres://… postgresql://… (in a password @ is %40, / is %2F: docs/postgres.md)',
  default: '–',
  meaning,
  fallback: undefined,
  parse: (text) => (isPostgresUrl(text) ? text : undefined),
  show: (text) => {
    const shown = urlWithoutSecrets(text);
    return shown === undefined ? '(not shown)' : quote(shown);
  },
});

/** The sets of tools that can be listed besides those of other servers. `core` is always listed. */
export const TOOLSETS = ['core', 'reputation', 'consensus'] as const;
export type Toolset = (typeof TOOLSETS)[number];

export const VARIABLES = {
  COLIBRI_MODE: choice(RUNTIME_MODES, 'FULL', 'What this process may do.'),
  COLIBRI_DB_PATH: path('by project', 'The SQLite file.'),
  COLIBRI_DATABASE_URL: databaseUrl('A PostgreSQL store instead of a file (docs/postgres.md).'),
  COLIBRI_DATABASE_URL_FILE: path(
    '–',
    'A file with that address, which nobody but its owner may read; it keeps the password out of the environment.',
  ),
  COLIBRI_PROJECT_DIR: path('by rule', 'Where the search for the project starts.'),
  COLIBRI_LOG_LEVEL: choice(['error', 'warn', 'info', 'debug'], 'info', 'What reaches stderr and the log file.'),
  COLIBRI_STARTUP_TIMEOUT_MS: integer(
    1_000,
    600_000,
    CORE_LIMITS.startupMs,
    'How long the transport may take to start, and calls may wait for the store.',
  ),
  COLIBRI_SHUTDOWN_TIMEOUT_MS: integer(
    0,
    60_000,
    CORE_LIMITS.drainMs,
    'How long calls in flight may take to end at shutdown.',
  ),
  COLIBRI_DURABILITY: choice(['normal', 'full'], 'normal', '`full` survives a power cut, not only a crash.'),
  COLIBRI_AUDIT_PAYLOADS: choice(['stored', 'digest', 'none'], 'stored', 'What the ledger keeps of arguments.'),
  COLIBRI_SWITCHBOARD: path('by rule', 'The switchboard file.'),
  COLIBRI_TOOLSETS: namesOf(TOOLSETS, 'Which of its own tools Colibri lists; `core` is always among them.'),
  COLIBRI_GATES: choice(
    ['off', 'on'],
    'off',
    'Whether scores bind: `on` refuses claims of more tasks than `max_parallel_tasks` permits.',
  ),
  COLIBRI_SKILLS_DIR: path("project's folders", 'Where Colibri looks for SKILL.md files.'),
  COLIBRI_HEADS_DIR: path(
    'state directory',
    'Where signed heads are copied to. On another disk or in a repository they reveal a rollback of this one.',
  ),
  COLIBRI_KEY_FILE: path('state directory', 'The signing key; one key serves one store.'),
  COLIBRI_WITNESSES: publicKeys(
    'Whose signatures under checkpoints make a decision ABSOLUTE, besides those of enrolled voters.',
  ),
  COLIBRI_VOTER_KEY: path(
    '–',
    'The key file of the enrolled voter that this process votes as (`colibri voters add`); nobody but its owner may read it.',
  ),
} as const;

export type VariableName = keyof typeof VARIABLES;
type ValueOf<N extends VariableName> = (typeof VARIABLES)[N]['fallback'];
export type LogLevel = ValueOf<'COLIBRI_LOG_LEVEL'>;

/** The variable for how deep switchboards are nested. Only Colibri sets it, for its child processes, which pass it on to theirs. */
export const DEPTH_NAME = 'COLIBRI_DEPTH';
/** The variable that identifies one start of a server, to find its processes when the process id is not known. Only Colibri sets it, for child processes. */
export const MARK_NAME = 'COLIBRI_SPAWN';
const INTERNAL_NAMES = [DEPTH_NAME, MARK_NAME];

/** A folder where the search for the project may start. */
export interface ProjectStart {
  readonly source:
    | '--project'
    | 'COLIBRI_PROJECT_DIR'
    | 'CLAUDE_PROJECT_DIR'
    | 'WORKSPACE_FOLDER_PATHS'
    | 'working directory';
  readonly dir: string;
}

export interface ProjectHints {
  /** The folders where the search for the project may start, the strongest hint first; the working directory is always the last. */
  readonly starts: readonly ProjectStart[];
  readonly home: string;
}

/** The settings that have a variable of their own. The last five are undefined if not set: the code that uses them has the default. */
const SETTINGS = {
  dbPath: 'COLIBRI_DB_PATH',
  /** The database URL. It may hold a password: never print it, print `configDigestInput(config).databaseUrl`. */
  databaseUrl: 'COLIBRI_DATABASE_URL',
  /** The file that holds the database URL. */
  databaseUrlFile: 'COLIBRI_DATABASE_URL_FILE',
  logLevel: 'COLIBRI_LOG_LEVEL',
  startupTimeoutMs: 'COLIBRI_STARTUP_TIMEOUT_MS',
  shutdownTimeoutMs: 'COLIBRI_SHUTDOWN_TIMEOUT_MS',
  durability: 'COLIBRI_DURABILITY',
  auditPayloads: 'COLIBRI_AUDIT_PAYLOADS',
  switchboard: 'COLIBRI_SWITCHBOARD',
  toolsets: 'COLIBRI_TOOLSETS',
  gates: 'COLIBRI_GATES',
  skillsDir: 'COLIBRI_SKILLS_DIR',
  headsDir: 'COLIBRI_HEADS_DIR',
  keyFile: 'COLIBRI_KEY_FILE',
  voterKey: 'COLIBRI_VOTER_KEY',
  witnesses: 'COLIBRI_WITNESSES',
} as const satisfies Readonly<Record<string, VariableName>>;
type Settings = { readonly [S in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[S]> };

export interface Config extends Settings {
  readonly mode: RuntimeMode;
  /** How many switchboards this process is behind: a server of a switchboard may itself be a Colibri process. */
  readonly depth: number;
  readonly projectHints: ProjectHints;
  readonly directories: Directories;
  /** Lines for the user about the settings; none of them prevents the start. */
  readonly warnings: readonly string[];
}

export interface ConfigPlace extends Base {
  readonly platform: NodeJS.Platform;
  readonly projectFlag?: string | undefined;
}

export const readEnv = (): Env => process.env;

/** The working directory; `/` if it was deleted. */
export const workingDirectory = (): string => quietly(process.cwd) ?? '/';

/** Makes the settings from the variables. Throws one CONFIG_INVALID error that names every variable whose value is not allowed. */
export const parseConfig = (env: Env, place: ConfigPlace): Config => {
  const { projectFlag: flag } = place;
  const base: Base = { cwd: place.cwd, home: resolve(place.cwd, place.home) };
  const { mode, problems: modeProblems } = readMode(env);
  const problems = [...modeProblems];
  const take = <N extends VariableName>(name: N, text = env[name] || undefined, label: string = name): ValueOf<N> => {
    const { parse, fallback, values, show } = VARIABLES[name] as Variable<ValueOf<N>>;
    const value = text === undefined ? fallback : parse(text, base);
    if (text !== undefined && value === undefined) problems.push(problemLine(label, text, values, show));
    return value ?? fallback;
  };
  /** The path in a variable that a client sets. It is never refused; if the folder does not exist, it is skipped. */
  const foreign = (text: string | undefined) => (text ? absolute(text, base) : undefined);
  const settings = Object.fromEntries(Object.entries(SETTINGS).map(([key, name]) => [key, take(name)]));
  const starts: readonly (readonly [ProjectStart['source'], string | undefined])[] = [
    ['--project', flag === undefined ? undefined : take('COLIBRI_PROJECT_DIR', flag, '--project')],
    ['COLIBRI_PROJECT_DIR', take('COLIBRI_PROJECT_DIR')],
    ['CLAUDE_PROJECT_DIR', foreign(env.CLAUDE_PROJECT_DIR)],
    ['WORKSPACE_FOLDER_PATHS', foreign(firstFolder(env, place.platform))],
    ['working directory', base.cwd],
  ];
  const config: Config = {
    mode,
    ...(settings as unknown as Settings),
    depth: Number(/^[0-9]{1,3}$/.exec(env[DEPTH_NAME] ?? '')?.[0] ?? 0),
    projectHints: {
      starts: starts.flatMap(([source, dir]) => (dir === undefined ? [] : [{ source, dir }])),
      home: base.home,
    },
    directories: directoriesFor(place.platform, base.home, env),
    warnings: unknownNames(env),
  };
  if (problems.length > 0) throw new ColibriError('CONFIG_INVALID', problems.join('\n'));
  return deepFreeze(config);
};

/**
 * The settings as a JSON value without secrets; the boot record's config_digest is its digest. The project hints are left out:
 * the record names the project itself, and the digest must not differ between two subfolders.
 */
export const configDigestInput = (config: Config): Readonly<Record<string, unknown>> => {
  const { projectHints: _hints, warnings: _warnings, depth: _depth, directories, ...settings } = config;
  const databaseUrl = settings.databaseUrl && (urlWithoutSecrets(settings.databaseUrl) ?? '(not shown)');
  const plain = Object.entries({ ...settings, databaseUrl }).map(([name, value]) => [name, value ?? null]);
  return { ...Object.fromEntries(plain), directories: { ...directories } };
};

const firstFolder = (env: Env, platform: NodeJS.Platform): string | undefined =>
  env.WORKSPACE_FOLDER_PATHS?.split(platform === 'win32' ? /[;,\r\n]/ : /[:,\r\n]/)
    .map((piece) => piece.trim())
    .find((piece) => piece !== '');

/**
 * Texts that are refused as paths although a file could have such a name, because each would silently become a file in the working
 * directory: `~someone/…`, a `${variable}` that the client did not expand, `:memory:`, `file:…`; and an empty `--project`.
 */
const NO_PATH = /^$|^~[^/]|\$\{|^:memory:$|^file:|\0/;

/** A variable's name without `COLIBRI_`, which would make all names look similar to each other. */
const withoutPrefix = (name: string): string => name.replace(/^COLIBRI_/, '');

/** Warnings about unknown COLIBRI_* names: most often a typing error that would otherwise go unnoticed. */
const unknownNames = (env: Env): string[] => {
  const known = Object.keys(VARIABLES);
  return Object.keys(env)
    .filter((name) => name.startsWith('COLIBRI_') && env[name] && ![...known, ...INTERNAL_NAMES].includes(name))
    .sort()
    .map((name) => {
      const shown = /^\w{1,64}$/.test(name) ? name : quote(name);
      const meant = nearest(withoutPrefix(name), known.map(withoutPrefix));
      const hint = meant === undefined ? 'see docs/configuration.md' : `the nearest name is COLIBRI_${meant}`;
      return `${shown} is not a setting of Colibri and is ignored; ${hint}`;
    });
};
