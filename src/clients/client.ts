// The interface of a client for `colibri init`: where it keeps its servers, how Colibri's entry looks there, and how its servers
// are written for the switchboard. Each client has a file; table.ts lists them. Nothing here reads files or the environment.
import type { JsonObject } from '../proof/json-object.js';
import type { Environment } from '../switchboard/config/variables.js';

export const SCOPES = ['user', 'project', 'local'] as const;
export type ClientScope = (typeof SCOPES)[number];

export const CLIENT_IDS = ['claude-code', 'cursor', 'vscode', 'codex', 'claude-desktop'] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** The user's home, platform, environment and project. */
export interface Around {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly projectDir: string | undefined;
}

/** The object in a file that holds servers by name. */
export interface ServersAt {
  readonly file: string;
  readonly format: 'json' | 'toml';
  /** The keys that lead to it from the root. */
  readonly keys: readonly string[];
}

export interface ClientPlace extends ServersAt {
  /** `managed` belongs to an administrator; it is read and never written. */
  readonly scope: ClientScope | 'managed';
}

/** How a client starts Colibri. */
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

/** The switchboard file that a server is written to. */
export interface ClientTarget {
  readonly kind: 'user' | 'project';
  readonly around: Around;
  /** The scope of the file that the server comes from. */
  readonly scope: ClientPlace['scope'];
}

/** A client's server as an entry of the switchboard file, or why it cannot be moved. */
export type Translated =
  | { readonly server: JsonObject; readonly changes: readonly string[] }
  | { readonly left: string };

/** The client's own commands for changing its file: lists of arguments for its program, run in order. */
export interface OwnCommands {
  readonly program: string;
  /** Undefined if the command cannot write this entry. */
  add(
    scope: ClientScope,
    name: string,
    entry: JsonObject,
    isThere: boolean,
  ): readonly (readonly string[])[] | undefined;
  remove(scope: ClientScope, name: string): readonly (readonly string[])[];
  /** Whether running processes of the client also write this file; any other file is edited directly, which keeps its format. */
  covers(scope: ClientScope): boolean;
}

/** How a client's settings (permission rules, hooks) name the tools of a server. */
export interface RuleForm {
  files(around: Around): readonly string[];
  /** A global expression; its first group is the tool, if one is named. */
  mentions(server: string): RegExp;
  /** The same form for one of Colibri's tools. */
  write(tool: string): string;
}

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** The client's program on the PATH. */
  readonly program?: string;
  /** The first is the default. */
  readonly scopes: readonly [ClientScope, ...ClientScope[]];
  readonly commands?: OwnCommands;
  readonly rules?: RuleForm;
  /** What the user must do for a change to take effect. */
  readonly restart: string;
  /** Files and folders; if one of them exists, the client is installed. */
  traces(around: Around): readonly string[];
  places(around: Around): readonly ClientPlace[];
  /** JSON lists of servers that the user has switched off outside the servers' own entries. */
  switchedOff?(around: Around): readonly { readonly file: string; readonly keys: readonly string[] }[];
  entry(launch: Launch): JsonObject;
  translate(server: unknown, target: ClientTarget): Translated;
}
