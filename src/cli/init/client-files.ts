// Finds the MCP clients on this machine, reads the servers in their files, plans changes of those files, and makes a change with a client's
// own commands (such as `claude mcp add`).
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import type { Around, Client, ClientPlace, ClientScope } from '../../clients/client.js';
import { editServers, readServers, type ServerEdit } from '../../clients/servers-text.js';
import { CLIENTS } from '../../clients/table.js';
import { readEnv } from '../../config.js';
import { explained } from '../../files/explained.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { CLI_LIMITS } from '../limits.js';
import { onPath } from '../paths.js';
import { plain } from '../screen/print.js';
import { wrong } from '../target.js';
import { readText } from '../text-file.js';
import type { FileChange } from './changes.js';
import type { ServersInverse } from './journal.js';

export const OUR_NAME = 'colibri';

export const clientsThere = (around: Around): readonly Client[] =>
  Object.values(CLIENTS).filter(({ traces, program }) => {
    const isOnPath = program !== undefined && onPath(program, around.env) !== undefined;
    return isOnPath || traces(around).some((path) => existsSync(path));
  });

/** This user's home, system and variables, which say where clients keep their files. */
export const aroundHere = (projectDir: string | undefined): Around => ({
  home: homedir(),
  platform: process.platform,
  env: readEnv(),
  projectDir,
  isThere: existsSync,
});

export const serversIn = (place: ClientPlace, { projectDir }: Around): JsonObject => {
  const text = readText(place.file, projectDir);
  return text === undefined ? {} : explained(place.file, () => readServers(text, place));
};

/** Names of servers that the user has switched off in a client. Throws if the list cannot be read: these servers must not be started. */
export const switchedOff = (client: Client, around: Around): ReadonlySet<string> => {
  const lists = client.switchedOff?.(around) ?? [];
  return new Set(
    lists.flatMap(({ file, keys }) => {
      const above = serversIn({ scope: 'user', file, format: 'json', keys: keys.slice(0, -1) }, around);
      const last = keys.at(-1);
      const list = last === undefined ? above : above[last];
      if (Array.isArray(list)) return list.filter((name) => typeof name === 'string');
      const marks = Object.entries(isObject(list) ? list : {});
      return marks.filter(([, mark]) => isObject(mark) && mark.enabled === false).map(([name]) => name);
    }),
  );
};

export interface FoundServer {
  readonly client: Client;
  readonly place: ClientPlace;
  readonly name: string;
  /** The server's entry; undefined if the file has none. */
  readonly was?: unknown;
}

export interface PlacedEdit extends FoundServer {
  readonly now?: unknown;
}

/** True if both are the same entry of the same file. */
export const isSamePlace = (a: FoundServer, b: FoundServer): boolean =>
  a.place.file === b.place.file && a.name === b.name && a.place.keys.join('\n') === b.place.keys.join('\n');

/** The words of an entry's command line. Some clients write the command and its arguments in one list, or under `transport`. */
export const wordsOf = (entry: unknown): readonly string[] => {
  if (!isObject(entry)) return [];
  const { command, args, transport } = entry;
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return [...words, ...wordsOf(transport)];
};

/** True if the entry sets a variable that only Colibri reads. */
const setsColibri = (entry: unknown): boolean =>
  isObject(entry) && isObject(entry.env) && Object.keys(entry.env).some((name) => name.startsWith('COLIBRI_'));

const startsColibri = (entry: unknown): boolean =>
  setsColibri(entry) ||
  wordsOf(entry).some((word) => word === 'serve' || /(^|[\\/])(cli[\\/]main\.js|colibri(@[^\\/]*)?)$/.test(word));

/**
 * True if the entry is Colibri's: it starts a copy of Colibri. An entry of another name is Colibri's only if the path of the program says so.
 */
export const isColibri = ({ name, was }: Pick<FoundServer, 'name' | 'was'>): boolean =>
  name === OUR_NAME ? startsColibri(was) : wordsOf(was).some((word) => /colibri.*[\\/]cli[\\/]main\.js$/.test(word));

/**
 * The client's own commands that make the changes `edits`, if the client has such commands and is installed. No command adds a server
 * other than Colibri: the server's entry may contain secrets, and other users can read a command line.
 */
export const clientCommandsFor = (edits: readonly PlacedEdit[], around: Around): ClientCommandRun | undefined => {
  const commands = edits[0]?.client.commands;
  const program = commands && onPath(commands.program, around.env);
  if (commands === undefined || program === undefined) return undefined;
  const lists = edits.map(({ place, name, was, now }) => {
    const scope = place.scope as ClientScope;
    if (!commands.covers(scope) || (now !== undefined && name !== OUR_NAME)) return undefined;
    return now === undefined
      ? commands.remove(scope, name)
      : commands.add(scope, name, now as JsonObject, was !== undefined);
  });
  if (lists.some((list) => list === undefined)) return undefined;
  return { program, commands: lists.flatMap((list) => list ?? []), cwd: around.projectDir ?? around.home };
};

export interface ClientCommandRun {
  /** The absolute path of the client's program. */
  readonly program: string;
  readonly commands: readonly (readonly string[])[];
  readonly cwd: string;
}

type Wanted = Pick<ServersInverse, 'format' | 'edits'>;

const runProgram = promisify(execFile);

const lastLineOf = (thrown: unknown): string => {
  const { stderr, stdout, message } = thrown as { stderr?: string; stdout?: string; message: string };
  return plain((stderr?.trim() || stdout?.trim() || message).split('\n').at(-1) ?? '');
};

/** Checks the file that the commands changed: an exit code alone proves nothing. */
const assertDone = (program: string, file: string, { format, edits }: Wanted): void => {
  const text = readText(file) ?? '';
  for (const { keys, name, now } of edits) {
    if (Object.hasOwn(readServers(text, { format, keys }), name) === (now !== undefined)) continue;
    const fault = `${program} reported success, but did not change ${file} as expected.`;
    throw wrong(fault, 'Use --scope project, or edit the file.');
  }
};

export const runClientCommands = async (own: ClientCommandRun, file: string, wanted: Wanted): Promise<void> => {
  const env: NodeJS.ProcessEnv = { ...readEnv() };
  for (const args of own.commands) {
    try {
      const running = runProgram(own.program, [...args], { cwd: own.cwd, env, timeout: CLI_LIMITS.initCommandMs });
      running.child.stdin?.end();
      await running;
    } catch (thrown) {
      throw wrong(`${own.program} ${args.slice(0, 2).join(' ')} failed: ${lastLineOf(thrown)}.`, 'See its own help.');
    }
  }
  assertDone(own.program, file, wanted);
};

/** The permissions of a new file: the usual ones in a project; elsewhere only the user may read the file. */
export const modeFor = (file: string, { projectDir }: Around): number =>
  projectDir !== undefined && file.startsWith(`${projectDir}/`) ? 0o666 : 0o600;

const changeOf = (edits: readonly PlacedEdit[], around: Around): readonly FileChange[] => {
  const [first] = edits;
  if (first === undefined) return [];
  const { file, format } = first.place;
  const before = readText(file, around.projectDir);
  const serverEdits = edits.map(({ place: { keys }, name, was, now }): ServerEdit => ({ keys, name, was, now }));
  const after = explained(file, () => editServers(before, format, serverEdits));
  if (after === before) return [];
  const scopes = [...new Set(edits.map(({ place }) => place.scope))].join(' and ');
  const what = `${first.client.title}, ${scopes} scope`;
  const inverse = { kind: 'servers', format, edits: serverEdits, client: first.client.id } as const;
  const own = clientCommandsFor(edits, around);
  return [{ file, what, before, after, mode: modeFor(file, around), inverse, ...(own && { own }) }];
};

/** The changes of the clients' files: one for each file whose text would change, in order of first appearance. */
export const clientChanges = (edits: readonly PlacedEdit[], around: Around): readonly FileChange[] =>
  [...new Set(edits.map(({ place }) => place.file))].flatMap((file) => {
    const here = edits.filter(({ place }) => place.file === file);
    // Two clients may use the same file; each entry in it is changed once.
    const each = here.filter((edit, index) => here.findIndex((one) => isSamePlace(one, edit)) === index);
    return changeOf(each, around);
  });
