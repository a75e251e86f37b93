// `colibri switchboard route add` and `route rm`: edit the routes of a switchboard file; its comments and layout stay.
import { Command } from 'commander';
import { isoClock } from '../../core/clock.js';
import { nearest } from '../../core/nearest.js';
import { explained } from '../../files/explained.js';
import type { HeldState } from '../../files/held-file.js';
import { addApprovals, readApprovals } from '../../switchboard/config/approvals.js';
import { approvalFor } from '../../switchboard/config/consent.js';
import { addRoute, fileHasRoute, fileHasServer, removeRoute } from '../../switchboard/config/edit.js';
import { problemText } from '../../switchboard/config/problem.js';
import type { Provider } from '../../switchboard/config/routes.js';
import { running } from '../run.js';
import { plain, say, sayJson } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { isIn, readInside, writeInside } from './edit-file.js';
import { parsedBoard } from './losses.js';
import { type FileChoice, type FilePlace, fileWith, findFiles } from './place.js';

interface RouteOptions extends FileChoice {
  readonly fallbackOnError?: true;
}

const EMPTY = '{"mcpServers": {}}';

const serversIn = (place: FilePlace): readonly string[] =>
  parsedBoard(place.file, readInside(place) ?? EMPTY).servers.map(({ name }) => name);

/** The server that a provider names: the longest name that it begins with, because both names may contain a slash. */
const serverNamed = (provider: string, servers: readonly string[]): string => {
  const known = servers.filter((name) => provider.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0];
  if (known !== undefined && provider.length > known.length + 1) return known;
  const [server = '', tool] = provider.split('/');
  if (tool === undefined || tool === '')
    throw wrong(`${JSON.stringify(provider)} is not a provider.`, 'Write server/tool, such as search/web_search.');
  const meant = nearest(server, servers);
  throw wrong(
    `There is no server ${JSON.stringify(server)}${meant === undefined ? '' : `; the nearest is ${meant}`}.`,
    servers.length === 0 ? 'To add one: colibri switchboard add' : `Servers: ${servers.join(' ')}.`,
  );
};

/** As the file gets them: texts, or objects if an error answer shall let the next one try. */
const writtenProviders = (
  given: readonly string[],
  servers: readonly string[],
  { fallbackOnError }: RouteOptions,
): readonly (string | Partial<Provider>)[] =>
  given.map((provider, at) => {
    const server = serverNamed(provider, servers);
    const isLast = at === given.length - 1;
    if (!fallbackOnError || isLast) return provider;
    return { server, tool: provider.slice(server.length + 1), fallbackOnError: true };
  });

/**
 * The servers of a project's file that were approved stay approved: only routes changed, and the person wrote them. A server that was not
 * approved before is not approved by a route.
 */
const keepApproved = (held: HeldState, { file, origin }: FilePlace, before: string, after: string): void => {
  if (origin !== 'project') return;
  const [old, now] = [parsedBoard(file, before), parsedBoard(file, after)];
  const known = new Set(readApprovals(held.dir).map(({ digest }) => digest));
  const approved = new Set(
    old.servers.filter((server) => known.has(approvalFor(server, old).digest)).map(({ name }) => name),
  );
  const at = isoClock()();
  const renewed = now.servers.filter(({ name }) => approved.has(name)).map((server) => approvalFor(server, now));
  addApprovals(
    held,
    renewed.filter(({ digest }) => !known.has(digest)).map((one) => ({ ...one, at })),
  );
};

const edited = (place: FilePlace, edit: (text: string | undefined) => string): Promise<void> =>
  changingState(place.config.directories.state, (held) => {
    const before = readInside(place);
    const after = explained(place.file, () => edit(before));
    const [fault] = parsedBoard(place.file, after).errors;
    if (fault !== undefined) throw wrong(problemText(fault), 'Nothing was changed.');
    keepApproved(held, place, before ?? EMPTY, after);
    writeInside(held, place, after);
  });

const addOne = async (name: string, providers: readonly string[], options: RouteOptions): Promise<number> => {
  const known = findFiles(options, options.file).flatMap((place) => serversIn(place));
  const written = writtenProviders(providers, known, options);
  const named = new Set(providers.map((provider) => serverNamed(provider, known)));
  const place = fileWith(
    options,
    isIn((text) => [...named].some((server) => fileHasServer(text, server))),
  );
  await edited(place, (text) => addRoute(text, name, written));
  if (options.json) sayJson({ file: place.file, route: name, providers: written });
  else {
    say(plain(`added the route ${name} to ${place.file}`));
    say('colibri switchboard check --start says whether the tools are there and take the same arguments.');
  }
  return 0;
};

const removeOne = async (name: string, options: FileChoice): Promise<number> => {
  const place = fileWith(
    options,
    isIn((text) => fileHasRoute(text, name)),
  );
  await edited(place, (text) => removeRoute(text ?? EMPTY, name));
  if (options.json) sayJson({ file: place.file, removed: name });
  else say(plain(`removed the route ${name} from ${place.file}`));
  return 0;
};

/** `withFile`: adds the options that name the file. */
export const routeCommands = (withFile: (name: string, description: string) => Command): readonly Command[] => [
  withFile('add', 'add a route: one name for tools of several servers')
    .argument('<name>', 'its name, such as web:search; clients call web__search')
    .argument('<provider...>', 'server/tool, in the order in which they are asked')
    .option('--fallback-on-error', 'ask the next one also if the answer is an error; for tools that only read')
    .action(running(addOne)),
  withFile('rm', 'remove a route').argument('<name>', 'its name in the file').action(running(removeOne)),
];

export const routeCommand = (withFile: (name: string, description: string) => Command): Command => {
  const command = new Command('route').description('add or remove a route of the file');
  for (const one of routeCommands(withFile)) command.addCommand(one);
  return command;
};
