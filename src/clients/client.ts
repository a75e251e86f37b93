// The interface of an MCP client for `colibri init`: where the client lists its servers, how Colibri's entry looks there, and how the
// servers are written to the switchboard file. table.ts lists the clients. Nothing here reads files or the environment.
import { join } from 'node:path';
import type { JsonObject } from '../proof/canonical-json.js';
import type { Environment } from '../switchboard/config/variables.js';

export const SCOPES = ['user', 'project', 'local'] as const;
export type ClientScope = (typeof SCOPES)[number];

export const CLIENT_IDS = [
  'claude-code',
  'cursor',
  'vscode',
  'codex',
  'claude-desktop',
  'copilot',
  'gemini',
  'qwen',
  'opencode',
  'cline',
] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** The user's home, platform, environment and project. */
export interface Around {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly projectDir: string | undefined;
  /** Whether there is a file at the path; some clients use the first of several files that exists. If left out, no file exists. */
  readonly isThere?: (path: string) => boolean;
}

/** Where a client's file holds servers: the object that has them by name. */
export interface ServersAt {
  readonly file: string;
  readonly format: 'json' | 'toml';
  /** The keys that lead from the root of the client's file to the object of servers. */
  readonly keys: readonly string[];
}

export interface ClientPlace extends ServersAt {
  /** The scope of the client's file; a `managed` file belongs to an administrator and is read but never written. */
  readonly scope: ClientScope | 'managed';
}

/** The path of a file or folder of the project; none if there is no project. */
export const inProject = ({ projectDir }: Around, ...names: readonly string[]): readonly string[] =>
  projectDir === undefined ? [] : [join(projectDir, ...names)];

/** Where a client lists its servers; most list them in JSON under `mcpServers`. */
export const placesIn = (
  scope: ClientPlace['scope'],
  files: readonly string[],
  at: Omit<ServersAt, 'file'> = { format: 'json', keys: ['mcpServers'] },
): readonly ClientPlace[] => files.map((file) => ({ scope, file, ...at }));

/** The command, arguments and environment with which a client starts Colibri. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Colibri's entry in the form that most clients use. */
export const entryOf = ({ command, args, env }: Launch): JsonObject => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});

/** The switchboard file to which a client's server is moved. */
export interface ClientTarget {
  readonly kind: 'user' | 'project';
  readonly around: Around;
  /** The scope of the client's file that the server comes from. */
  readonly scope: ClientPlace['scope'];
}

/** A client's server as an entry of the switchboard file, or why it cannot be moved. */
export type Translated =
  | { readonly server: JsonObject; readonly changes: readonly string[] }
  | { readonly left: string };

/** The client's own commands for changing its file: lists of arguments for the client's program, run in order. */
export interface OwnCommands {
  readonly program: string;
  /** The commands that add or replace a server; undefined if they cannot write this entry. */
  add(
    scope: ClientScope,
    name: string,
    entry: JsonObject,
    isThere: boolean,
  ): readonly (readonly string[])[] | undefined;
  remove(scope: ClientScope, name: string): readonly (readonly string[])[];
  /**
   * True if a running client also writes the client's file of this scope, so that the file must be changed with the client's own commands.
   * The files of other scopes are edited directly.
   */
  covers(scope: ClientScope): boolean;
}

/** How a client's settings (permission rules, hooks) name the tools of a server. */
export interface RuleForm {
  files(around: Around): readonly string[];
  /** A global regular expression that matches a server's tools in settings; its first group is the tool, if one is named. */
  mentions(server: string): RegExp;
  /** Returns the text by which the client's settings name one of Colibri's tools. */
  write(tool: string): string;
}

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** The name of the client's program on the PATH. */
  readonly program?: string;
  /** The scopes in which the client can list servers; the first is the default. */
  readonly scopes: readonly [ClientScope, ...ClientScope[]];
  readonly commands?: OwnCommands;
  readonly rules?: RuleForm;
  /** Says what the user must do for a change of the client's file to take effect. */
  readonly restart: string;
  /** Paths of files and folders; if one of them exists, the client is installed. */
  traces(around: Around): readonly string[];
  places(around: Around): readonly ClientPlace[];
  /**
   * The places, in JSON files, that say which servers the user has switched off: a list of names, or an object in which a name has
   * `enabled: false`. A mark in a server's own entry is not meant.
   */
  switchedOff?(around: Around): readonly { readonly file: string; readonly keys: readonly string[] }[];
  entry(launch: Launch): JsonObject;
  /** The keys that make the client wait for Colibri and refuse to work without it; absent if the client has no such setting. */
  readonly required?: JsonObject;
  translate(server: unknown, target: ClientTarget): Translated;
}
