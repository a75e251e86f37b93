// `colibri switchboard add` and `remove`: edit the switchboard file; its comments and layout stay.
import { type Hidden, hideSecrets } from '../../clients/hide-secrets.js';
import { workingDirectory } from '../../config.js';
import { isoClock } from '../../core/clock.js';
import { explained } from '../../files/explained.js';
import type { HeldState } from '../../files/held-file.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { addApprovals, readApprovals, removeApprovals } from '../../switchboard/config/approvals.js';
import { connectionDigest } from '../../switchboard/config/connection.js';
import { approvalFor, isAsGiven, projectOf } from '../../switchboard/config/consent.js';
import { addServer, fileHasServer, removeServer } from '../../switchboard/config/edit.js';
import { userFile } from '../../switchboard/config/place.js';
import { problemText } from '../../switchboard/config/problem.js';
import { changeSecrets, secretsFile } from '../../switchboard/config/secrets.js';
import { paint, plain, say, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { isIn, readInside, writeInside } from './edit-file.js';
import { lostRoutes, lostRouteText, parsedBoard, removeUnused } from './losses.js';
import { type FileChoice, type FilePlace, fileToWrite, fileWith } from './place.js';
import { startFolder } from './start-folder.js';
import { absence } from './try.js';

interface AddOptions extends FileChoice {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

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

const serverOf = (target: readonly string[], options: AddOptions, place: FilePlace): JsonObject => {
  const [command = '', ...args] = target;
  const env = variables(options.env ?? []);
  const headers = headersOf(options.header ?? []);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(command)?.[1]?.toLowerCase();
  const isUrl = scheme === 'http' || scheme === 'https';
  if (scheme !== undefined && !isUrl) {
    throw wrong(`${JSON.stringify(command)} cannot be reached: MCP needs http or https.`, 'Nothing was changed.');
  }
  if (isUrl && args.length > 0) throw wrong('A URL takes no arguments.', 'Give a URL, or -- and a command.');
  if (isUrl) return { url: command, ...(Object.keys(headers).length > 0 && { headers }) };
  if (Object.keys(headers).length > 0) throw wrong('--header needs a URL.', 'Nothing was changed.');
  const cwd = startFolder(target, workingDirectory(), place);
  return {
    command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(cwd !== undefined && { cwd }),
  };
};

/**
 * Approves the server that the person just wrote, unless the file's defaults or routes, which may come from a repository, add to it.
 * Returns false if the server still needs approval.
 */
const approveOwn = (
  held: HeldState,
  { file, origin }: FilePlace,
  text: string,
  [name, entry]: [string, JsonObject],
) => {
  if (origin !== 'project') return true;
  const board = parsedBoard(file, text);
  const server = board.servers.find((one) => one.name === name);
  if (server === undefined || !isAsGiven(server, board, entry)) return false;
  addApprovals(held, [{ ...approvalFor(server, board), at: isoClock()() }]);
  return true;
};

/** Removes the approvals of a removed server, so that the same server needs approval again. True if there were any. */
const forgetApproval = (held: HeldState, { file }: FilePlace, before: string, name: string): boolean => {
  const connections = parsedBoard(file, before)
    .servers.filter((one) => one.name === name)
    .map(connectionDigest);
  const project = projectOf(file);
  const ours = readApprovals(held.dir).filter((one) =>
    one.project === undefined
      ? one.file === file && connections.includes(one.digest)
      : one.project === project && one.server === name,
  );
  const digests = ours.map(({ digest }) => digest);
  removeApprovals(held, digests);
  return ours.length > 0;
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

const ADDED_TO =
  'gets more from the defaults or routes of this file than you wrote. To see and approve it: colibri switchboard approve';

export const add = async (name: string, target: readonly string[], options: AddOptions): Promise<number> => {
  const place = fileToWrite(options);
  const { file, config } = place;
  const given = serverOf(target, options, place);
  const { after, isApproved } = await changingState(config.directories.state, (held) => {
    const before = readInside(place);
    // The server is checked before its secrets are saved, so that a refused server leaves no secrets behind.
    const wanted = explained(file, () => addServer(before, name, given));
    const [fault] = parsedBoard(file, wanted).errors;
    if (fault !== undefined) throw wrong(problemText(fault), 'Nothing was changed.');
    const server = withoutLiterals(held, name, given, options.json !== true);
    const after = explained(file, () => addServer(before, name, server));
    const isApproved = approveOwn(held, place, after, [name, server]);
    writeInside(held, place, after);
    return { after, isApproved };
  });
  if (options.json) sayJson({ file, added: name });
  else {
    say(`added ${plain(name)} to ${plain(file)}`);
    if (typeof given.cwd === 'string')
      say(plain(`It starts in ${workingDirectory()}, which its command names files in.`));
    say('colibri switchboard check --start says whether it answers.');
  }
  if (!isApproved) tell(`colibri: ${plain(`${name} ${ADDED_TO}`)}`);
  // A missing program is not a failure, because it may be installed later.
  const added = parsedBoard(file, after).servers.find((one) => one.name === name);
  const absent = added === undefined || added.missing.length > 0 ? '' : absence(added);
  if (absent !== '') tell(`colibri: ${plain(`${name} cannot be started yet: ${absent}.`)}`);
  return 0;
};

export const remove = async (name: string, options: FileChoice): Promise<number> => {
  const place = fileWith(
    options,
    isIn((text) => fileHasServer(text, name)),
  );
  const { file, origin, config } = place;
  const { lost, secrets } = await changingState(config.directories.state, (held) => {
    const before = readInside(place);
    if (before === undefined) throw wrong(`There is no file ${file}.`, 'Nothing was changed.');
    const after = explained(file, () => removeServer(before, name));
    // The approval is removed before the file is written: a removed server that is still approved is worse than one that needs approval
    // again.
    const isOwn = forgetApproval(held, place, before, name) || origin !== 'project';
    const lost = lostRoutes(file, before, after);
    writeInside(held, place, after);
    const userFiles = [userFile(config.directories.config), config.switchboard].filter((one) => one !== undefined);
    const secrets = removeUnused(held, { server: name, before: isOwn ? before : '', after, userFiles });
    return { lost, secrets };
  });
  if (options.json) {
    sayJson({ file, removed: name, routes_off: lost.map(({ route }) => route), secrets_removed: secrets });
    return 0;
  }
  say(`removed ${plain(name)} from ${plain(file)}`);
  if (secrets.length > 0) {
    const from = secretsFile(config.directories.state);
    say(plain(`removed ${secrets.join(', ')} from ${from}: nothing else refers to it`));
  }
  for (const one of lost) say(paint('yellow', plain(lostRouteText(one))));
  return 0;
};
