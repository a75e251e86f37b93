// What a client is to `init`: where it keeps its servers, how an entry of ours looks there, and what its servers are behind the
// switchboard. One file per client says it; table.ts lists them. Nothing here reads a disk or the process.
import type { JsonObject } from '../proof/json-object.js';
import type { Environment } from '../switchboard/config/variables.js';

export const SCOPES = ['user', 'project', 'local'] as const;
export type ClientScope = (typeof SCOPES)[number];

export const CLIENT_IDS = ['claude-code', 'cursor', 'vscode', 'codex', 'claude-desktop'] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** Whose clients, on what, and for which project. */
export interface Around {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly projectDir: string | undefined;
}

/** An object of servers by name inside a file. */
export interface ServersAt {
  readonly file: string;
  readonly format: 'json' | 'toml';
  /** What leads to it from the root. */
  readonly keys: readonly string[];
}

export interface ClientPlace extends ServersAt {
  /** `managed`: an administrator's; read, never written. */
  readonly scope: ClientScope | 'managed';
}

/** How a client starts us. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An entry of ours as most clients write it. */
export const entryOf = ({ command, args, env }: Launch): JsonObject => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});

/** Which switchboard file a server is to be written into. */
export interface ClientTarget {
  readonly kind: 'user' | 'project';
  readonly around: Around;
  /** Of the file that the server comes from. */
  readonly scope: ClientPlace['scope'];
}

/** What a client's server is behind the switchboard, or why it stays where it is. */
export type Translated =
  | { readonly server: JsonObject; readonly changes: readonly string[] }
  | { readonly left: string };

/** The client's own way of changing its file: arguments of its program, one command after the other. */
export interface OwnCommands {
  readonly program: string;
  /** Undefined: it cannot say what is to be written. */
  add(
    scope: ClientScope,
    name: string,
    entry: JsonObject,
    isThere: boolean,
  ): readonly (readonly string[])[] | undefined;
  remove(scope: ClientScope, name: string): readonly (readonly string[])[];
  /** Files that its running processes write too; others are as well edited by us, which keeps their form. */
  covers(scope: ClientScope): boolean;
}

/** How a client's settings (permission rules, hooks) name the tools of a server. */
export interface RuleForm {
  files(around: Around): readonly string[];
  /** Global; the first group is the tool where one is named. */
  mentions(server: string): RegExp;
  /** The same, of a tool of ours. */
  write(tool: string): string;
}

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** On the PATH where it is installed for the terminal. */
  readonly program?: string;
  /** The first is the one that is meant when none is named. */
  readonly scopes: readonly [ClientScope, ...ClientScope[]];
  readonly commands?: OwnCommands;
  readonly rules?: RuleForm;
  /** What a person does for it to take effect. */
  readonly restart: string;
  /** Files and folders one of which is there where the client is. */
  traces(around: Around): readonly string[];
  places(around: Around): readonly ClientPlace[];
  /** Lists of servers that the user has switched off elsewhere than in the server's own entry; JSON. */
  switchedOff?(around: Around): readonly { readonly file: string; readonly keys: readonly string[] }[];
  entry(launch: Launch): JsonObject;
  translate(server: unknown, target: ClientTarget): Translated;
}
