// A server's connection is a command or a URL. This file makes both forms of it: as it is written in the switchboard file, and with its
// variables filled in.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { ServerValues } from './keys.js';
import { type Environment, expansion } from './variables.js';

export type InheritEnv = 'minimal' | 'all' | readonly string[];

export interface StdioConnection {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The absolute path of the working directory in which the server is started. */
  readonly cwd: string;
  readonly inheritEnv: InheritEnv;
}

export interface HttpConnection {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type ServerConnection = StdioConnection | HttpConnection;

export interface Connected {
  /** The connection before variables are filled in, which the user reads and approves. */
  readonly written: ServerConnection;
  readonly connection: ServerConnection;
  /** Names of variables that the connection uses and that are not set. */
  readonly missing: readonly string[];
}

/** A server's connection as the switchboard file has it; undefined when the server has neither a command nor a URL, or both. */
const writtenOf = (values: ServerValues, configDir: string): ServerConnection | undefined => {
  const { command, args, env, cwd, inheritEnv, url, headers } = values;
  if (command !== null && url === null)
    return { kind: 'stdio', command, args, env, cwd: resolve(configDir, cwd ?? '.'), inheritEnv };
  return url !== null && command === null ? { kind: 'http', url, headers } : undefined;
};

export const connectionOf = (values: ServerValues, configDir: string, env: Environment): Connected | undefined => {
  const written = writtenOf(values, configDir);
  if (written === undefined) return undefined;
  const { text, missing } = expansion(env);
  const inValues = (map: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [key, text(value)]));
  const connection: ServerConnection =
    written.kind === 'http'
      ? { kind: 'http', url: text(written.url), headers: inValues(written.headers) }
      : {
          ...written,
          command: text(written.command),
          args: written.args.map(text),
          env: inValues(written.env),
          // A variable may hold an absolute path, so the working directory is resolved after variables are filled in.
          cwd: resolve(configDir, text(values.cwd ?? '.')),
        };
  return { written, connection, missing };
};

/**
 * Identifies a connection: SHA-256 over its RFC 8785 JSON text before variables are filled in, so no variable's value is hashed. The
 * absolute working directory is hashed, too, so the same entry in another checkout is another connection.
 */
export const connectionDigest = (server: { readonly written: ServerConnection }): string =>
  createHash('sha256').update(canonicalJson(server.written)).digest('hex');
