// The tool lists that `colibri init --import` read when it tried servers. A process whose store does not know such a server yet lists these
// tools at once, and records them. The files are in the user's state directory, which a repository cannot write.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { type HeldState, replaceHeld } from '../../files/held-file.js';
import { PRIVATE_FOLDER } from '../../files/whole-file.js';
import { isObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** The server of a tool list: its name, and the digest of its connection. */
export interface TriedServer {
  readonly server: string;
  readonly connection: string;
}

/** A tool's definition as its server sent it. */
interface TriedTool {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface TriedTools extends TriedServer {
  readonly tools: readonly TriedTool[];
}

export const triedDir = (stateDir: string): string => join(stateDir, 'tried');

/** The name of the file with a server's tool list. It is a digest, because a server's name may contain any characters. */
export const triedFileName = ({ server, connection }: TriedServer): string =>
  `${createHash('sha256')
    .update(JSON.stringify([server, connection]))
    .digest('hex')}.json`;

/** The tools that `init --import` read from the server; undefined if it did not read any, or if the file is damaged. */
export const triedTools = (stateDir: string, wanted: TriedServer): readonly TriedTool[] | undefined =>
  quietly(() => {
    const file = join(triedDir(stateDir), triedFileName(wanted));
    if (statSync(file).size > SWITCHBOARD_LIMITS.catalogueBytes) return undefined;
    const { server, connection, tools } = JSON.parse(readFileSync(file, 'utf8')) as Partial<TriedTools>;
    const isWanted = server === wanted.server && connection === wanted.connection;
    const isList = Array.isArray(tools) && tools.every((tool) => isObject(tool) && typeof tool.name === 'string');
    return isWanted && isList ? tools : undefined;
  });

/** Stores tool lists, except those that are longer than a store would keep. */
export const keepTried = (held: HeldState, lists: readonly TriedTools[]): void => {
  for (const { server, connection, tools } of lists) {
    const text = JSON.stringify({ version: 1, server, connection, tools });
    if (Buffer.byteLength(text) > SWITCHBOARD_LIMITS.catalogueBytes) continue;
    mkdirSync(triedDir(held.dir), { recursive: true, mode: PRIVATE_FOLDER });
    const file = join(triedDir(held.dir), triedFileName({ server, connection }));
    replaceHeld(held, file, (fd) => writeFileSync(fd, text));
  }
};

/** Removes tool lists by the names of their files; names that are not such names are ignored. The folder goes with the last list. */
export const forgetTried = ({ dir }: HeldState, names: readonly string[]): void => {
  for (const name of names) {
    if (/^[0-9a-f]{64}\.json$/.test(name)) rmSync(join(triedDir(dir), name), { force: true });
  }
  quietly(() => rmdirSync(triedDir(dir)));
};
