// `colibri switchboard add` and `remove`: edit the switchboard file; its comments and layout stay.
import { dirname, join } from 'node:path';
import { type Hidden, hideSecrets } from '../../clients/hide-secrets.js';
import { readEnv } from '../../config.js';
import { isoClock } from '../../core/clock.js';
import type { HeldState } from '../../files/held-file.js';
import type { JsonObject } from '../../proof/json-object.js';
import { addApprovals, readApprovals, removeApprovals } from '../../switchboard/config/approvals.js';
import { parseSwitchboard, type ServerConfig, type SwitchboardConfig } from '../../switchboard/config/config.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import { approvalFor, isAsGiven, projectOf } from '../../switchboard/config/consent.js';
import { addServer, EditError, removeServer } from '../../switchboard/config/edit.js';
import { folderOf, userFile } from '../../switchboard/config/place.js';
import { problemText } from '../../switchboard/config/problem.js';
import { changeSecrets, secretsFile } from '../../switchboard/config/secrets.js';
import { isFolder } from '../paths.js';
import type { PlaceOptions } from '../place.js';
import { paint, plain, say, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { assertInside, makeFolders, readText, replaceText } from '../text-file.js';
import { absence } from './absence.js';
import { type LostRoute, lostRoutes, lostRouteText } from './losses.js';
import { assertFile, type FilePlace, fileToWrite, findFile } from './place.js';
import { removeUnused } from './unused-secrets.js';

interface EditOptions extends PlaceOptions {
  readonly json?: true;
  readonly file?: string;
}

interface AddOptions extends EditOptions {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

/** Replaces the file's text. The permissions stay, because the file may contain secrets. */
const replaceFile = (held: HeldState, file: string, text: string): void => {
  makeFolders(dirname(file));
  replaceText(held, file, text);
};

/** The file's text. A project's file must really be in the project: a repository may contain a link to another file of the user. */
const readInside = ({ file, origin }: FilePlace): string | undefined => {
  const project = origin === 'project' ? folderOf(file) : undefined;
  assertInside(file, project);
  return readText(file, project);
};

const edited = (file: string, edit: () => string): string => {
  try {
    return edit();
  } catch (thrown) {
    if (thrown instanceof EditError) throw wrong(`${file}: ${thrown.message}`, 'Nothing was changed.');
    throw thrown;
  }
};

const variables = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw wrong(`${JSON.stringify(pair)} is not a variable.`, 'Write --env NAME=value.');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );

/** Parses headers written as `Name: value`, as curl takes them. */
const headersOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at < 1) throw wrong('A header has no name.', 'Write --header "Name: value".');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );

interface Given {
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
}

const serverOf = (target: readonly string[], { env, headers }: Given): JsonObject => {
  const [command = '', ...args] = target;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(command)?.[1]?.toLowerCase();
  const isUrl = scheme === 'http' || scheme === 'https';
  if (scheme !== undefined && !isUrl) {
    throw wrong(`${JSON.stringify(command)} cannot be reached: MCP needs http or https.`, 'Nothing was changed.');
  }
  if (isUrl && args.length > 0) throw wrong('A URL takes no arguments.', 'Give a URL, or -- and a command.');
  if (isUrl) return { url: command, ...(Object.keys(headers).length > 0 && { headers }) };
  if (Object.keys(headers).length > 0) throw wrong('--header needs a URL.', 'Nothing was changed.');
  return { command, ...(args.length > 0 && { args }), ...(Object.keys(env).length > 0 && { env }) };
};

const serverIn = (file: string, text: string, name: string): ServerConfig | undefined =>
  parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) }).servers.find((one) => one.name === name);

const parsed = (file: string, text: string): SwitchboardConfig =>
  parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) });

/**
 * Approves the server that the person just wrote, unless the file's defaults or routes extend it: they may come from a repository.
 * Returns false if the server still needs approval.
 */
const approveOwn = (held: HeldState, { file, origin }: FilePlace, text: string, added: Added): boolean => {
  if (origin !== 'project') return true;
  const board = parsed(file, text);
  const server = board.servers.find((one) => one.name === added.name);
  if (server === undefined || !isAsGiven(server, board, added.server)) return false;
  addApprovals(held, [{ ...approvalFor(server, board), at: isoClock()() }]);
  return true;
};

interface Added {
  readonly name: string;
  readonly server: unknown;
}

/** Removes the approvals of a removed server, so that the same server needs approval again. True if there were any. */
const forgetApproval = (held: HeldState, { file }: FilePlace, before: string, name: string): boolean => {
  const connections = parsed(file, before)
    .servers.filter((one) => one.name === name)
    .map(connectionDigest);
  const project = projectOf(file);
  const ours = readApprovals(held.dir).filter((one) =>
    one.project === undefined
      ? one.file === file && connections.includes(one.digest)
      : one.project === project && one.server === name,
  );
  removeApprovals(
    held,
    ours.map(({ digest }) => digest),
  );
  return ours.length > 0;
};

const assertGood = (file: string, text: string): void => {
  const { errors } = parseSwitchboard(text, { file, env: readEnv(), configDir: dirname(file) });
  const [first] = errors;
  if (first !== undefined) throw wrong(`${problemText(first)}`, 'Nothing was changed.');
};

interface Edit {
  readonly name: string;
  readonly what: 'added' | 'removed';
  readonly lost?: readonly LostRoute[];
  readonly secrets?: readonly string[];
}

const done = ({ file, config }: FilePlace, { name, what, lost = [], secrets = [] }: Edit, json?: true): number => {
  if (json) {
    const gone = { routes_off: lost.map(({ route }) => route), secrets_removed: secrets };
    sayJson({ file, [what]: name, ...(what === 'removed' && gone) });
    return 0;
  }
  say(`${what} ${plain(name)} ${what === 'added' ? 'to' : 'from'} ${plain(file)}`);
  if (secrets.length > 0)
    say(
      plain(`removed ${secrets.join(', ')} from ${secretsFile(config.directories.state)}: nothing else refers to it`),
    );
  for (const one of lost) say(paint('yellow', plain(lostRouteText(one))));
  return 0;
};

/**
 * Moves secrets from the command line into the user's secrets file, because the switchboard file may be committed. The secrets are
 * saved first, so that the switchboard file never refers to a secret that does not exist.
 */
const withoutLiterals = (held: HeldState, name: string, given: JsonObject, isTold: boolean): JsonObject => {
  let hidden: Hidden | undefined;
  changeSecrets(held, (known) => {
    hidden = hideSecrets(name, given, known);
    return hidden.places.length === 0 ? known : { ...known, ...hidden.secrets };
  });
  if (hidden === undefined || hidden.places.length === 0) return given;
  const where = `${hidden.places.join(', ')} of ${name} was saved in ${secretsFile(held.dir)}`;
  if (isTold) tell(plain(`colibri: ${where}; the file refers to it by name.`));
  return hidden.server;
};

/** Warns if the server's program or folder is missing; not a failure, because a program may be installed later. */
const tellAbsence = (file: string, text: string, name: string): void => {
  const server = serverIn(file, text, name);
  const what = server === undefined || server.missing.length > 0 ? '' : absence(server);
  if (what !== '') tell(`colibri: ${plain(`${name} cannot be started yet: ${what}.`)}`);
};

const ADDED_TO =
  'gets more from the defaults or routes of this file than you wrote. To see and approve it: colibri switchboard approve';

/** Reads, changes and writes the switchboard file under the lock, because another command may edit it at the same time. */
const changed = (
  place: FilePlace,
  change: (held: HeldState, before: string | undefined) => string,
  afterwards: (held: HeldState, after: string) => void = () => {},
): Promise<string> =>
  changingState(place.config.directories.state, (held) => {
    const text = change(held, readInside(place));
    replaceFile(held, place.file, text);
    afterwards(held, text);
    return text;
  });

export const add = async (name: string, target: readonly string[], options: AddOptions): Promise<number> => {
  const place = fileToWrite(options, (dir) => isFolder(join(dir, '.colibri')), options.file);
  const given = serverOf(target, { env: variables(options.env ?? []), headers: headersOf(options.header ?? []) });
  let isApproved = true;
  const text = await changed(place, (held, before) => {
    // The server is checked before its secrets are saved, so that a refused server leaves no secrets behind.
    assertGood(
      place.file,
      edited(place.file, () => addServer(before, name, given)),
    );
    const server = withoutLiterals(held, name, given, options.json !== true);
    const after = edited(place.file, () => addServer(before, name, server));
    isApproved = approveOwn(held, place, after, { name, server });
    return after;
  });
  const code = done(place, { name, what: 'added' }, options.json);
  if (!isApproved) tell(`colibri: ${plain(`${name} ${ADDED_TO}`)}`);
  tellAbsence(place.file, text, name);
  return code;
};

export const remove = async (name: string, options: EditOptions): Promise<number> => {
  const place = assertFile(findFile(options, options.file));
  const lost: LostRoute[] = [];
  let secrets: readonly string[] = [];
  let was = '';
  const take = (held: HeldState, before: string | undefined): string => {
    if (before === undefined) throw wrong(`There is no file ${place.file}.`, 'Nothing was changed.');
    const after = edited(place.file, () => removeServer(before, name));
    // Approvals go before the file is written: a removed server that is still approved is worse than one that needs approval again.
    const isOwn = forgetApproval(held, place, before, name) || place.origin !== 'project';
    if (isOwn) was = before;
    lost.push(...lostRoutes(place.file, before, after));
    return after;
  };
  await changed(place, take, (held, after) => {
    const { directories, switchboard } = place.config;
    const userFiles = [userFile(directories.config), ...(switchboard === undefined ? [] : [switchboard])];
    secrets = removeUnused(held, { server: name, before: was, after, userFiles });
  });
  return done(place, { name, what: 'removed', lost, secrets }, options.json);
};
