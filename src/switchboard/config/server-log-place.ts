// Says where the log of one server is: what the server's process wrote to stderr, and what became of its starts.
import { createHash } from 'node:crypto';
import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { type Connected, connectionDigest } from './connection.js';

/** The name of a server's log file in the server's folder, without `.log`. */
export const SERVER_LOG = 'server';

/** The folder that has a folder for each server's log. */
export const serverLogsDir = (stateDir: string): string => join(stateDir, 'log', 'servers');

/** How many characters of a server's name, and of the hash, the name of the folder has. */
const NAME_CHARS = 32;
const HASH_CHARS = 16;

/** The harmless characters of a server's name. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARS);

/**
 * The folder of one server's log. Its name cannot leave the folder above, whatever the server is called: it consists of the harmless
 * characters of the name and a hash. The hash covers the connection, too: servers of two projects that have the same name have two logs.
 */
export const serverLogDir = (
  stateDir: string,
  server: Pick<Connected, 'written'> & { readonly name: string },
): string => {
  const { name } = server;
  const hash = createHash('sha256')
    .update(`${name}\n${connectionDigest(server)}`)
    .digest('hex');
  return join(serverLogsDir(stateDir), `${plainName(name)}-${hash.slice(0, HASH_CHARS)}`);
};

/**
 * Empties the logs of all servers with a name, whatever their connection: something that a server said is to be erased. A process that has such a
 * file open goes on writing to it. Returns how many files were emptied, and those that could not be.
 */
export const emptyServerLogs = (stateDir: string, name: string): { emptied: number; left: readonly string[] } => {
  const start = `${plainName(name)}-`;
  const isOwn = (folder: string): boolean => folder.startsWith(start) && folder.length === start.length + HASH_CHARS;
  const folders = (quietly(() => readdirSync(serverLogsDir(stateDir))) ?? []).filter(isOwn);
  const files = folders.flatMap((folder) => {
    const dir = join(serverLogsDir(stateDir), folder);
    const entries = quietly(() => readdirSync(dir, { withFileTypes: true })) ?? [];
    return entries.filter((entry) => entry.isFile()).map(({ name: file }) => join(dir, file));
  });
  const left = files.filter((file) => quietly(() => truncateSync(file) ?? 'emptied') === undefined);
  return { emptied: files.length - left.length, left };
};
