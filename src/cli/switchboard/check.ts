// `colibri switchboard check`: says which servers a switchboard file would start. With `--start` the ready ones are started as a trial.
import { readEnv } from '../../config.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { consentHold, consentNote, type JudgedServer } from '../../switchboard/config/consent.js';
import { type Boards, readBoards } from '../../switchboard/config/followed-files.js';
import { problemText } from '../../switchboard/config/problem.js';
import type { Route } from '../../switchboard/config/routes.js';
import { readSecrets, type Secrets } from '../../switchboard/config/secrets.js';
import { checkRoute, type KnownServer } from '../../switchboard/route/check.js';
import { StoredCatalogue } from '../../switchboard/server/stored-catalogue.js';
import { isOffered } from '../../switchboard/tool-filter.js';
import { CLI_LIMITS } from '../limits.js';
import type { PlaceOptions } from '../place.js';
import { type Colour, paint, plain, say, sayExactly, sayJson } from '../screen/print.js';
import { findFile, findFiles } from './place.js';
import { reachedBy } from './shown.js';
import { absence, type Trial, tryServers } from './try.js';

type Trials = ReadonlyMap<ServerConfig, Trial>;

interface CheckOptions extends PlaceOptions {
  readonly json?: true;
  readonly start?: true;
}

/** The verdicts on servers and routes, and their colours. */
const COLOURS = {
  disabled: 'dim',
  not_approved: 'red',
  missing_variable: 'red',
  /** The server's program or folder does not exist. */
  not_found: 'red',
  /** The server could be started, or the route would be on, but the switchboard file has errors. */
  not_applied: 'dim',
  ready: 'green',
  /** The server was started and answered. */
  answers: 'green',
  fails: 'red',
  on: 'green',
  off: 'red',
} as const satisfies Readonly<Record<string, Colour>>;

interface ServerVerdict {
  readonly server: string;
  readonly file: string;
  readonly reached: string;
  readonly verdict: keyof typeof COLOURS;
  readonly detail: string;
}

const OVERRIDDEN =
  'not approved, so your own server of this name is used; to see and approve it: colibri switchboard approve';

const verdictOn = (judged: JudgedServer, secrets: Secrets, isApplied: boolean): ServerVerdict => {
  const { server, file } = judged;
  const as = (verdict: ServerVerdict['verdict'], detail: string): ServerVerdict => {
    return { server: server.name, file, reached: reachedBy(server, secrets), verdict, detail };
  };
  if (server.disabled) return as('disabled', '');
  const hold = consentHold(judged);
  if (hold === 'not_approved') return as(hold, 'to start it: colibri switchboard approve');
  if (hold === 'missing_variable') return as(hold, `not set: ${server.missing.join(', ')}`);
  const absent = absence(server);
  if (absent !== '') return as('not_found', absent);
  return as(isApplied ? 'ready' : 'not_applied', consentNote(judged) ?? '');
};

/** The protocol revisions that a server speaks, for people. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  legacy: 'protocol 2025-11-25 or older',
  modern: 'protocol 2026-07-28',
};

/** The verdict on a server after its trial; unchanged if it was not tried. */
const afterTrial = (verdict: ServerVerdict, trial: Trial | undefined): ServerVerdict => {
  if (trial === undefined || verdict.verdict !== 'ready') return verdict;
  const note = verdict.detail === '' ? '' : `; what was tried is the version that was approved: ${verdict.detail}`;
  if ('fault' in trial) return { ...verdict, verdict: 'fails', detail: `${trial.fault}${note}` };
  return {
    ...verdict,
    verdict: 'answers',
    detail: `${count(trial.tools.length, 'tool')}, ${PROTOCOLS[trial.era]}${note}`,
  };
};

interface CheckedRoute {
  readonly route: string;
  readonly verdict: 'on' | 'off' | 'not_applied';
  readonly detail: string;
}

const known = (server: ServerConfig, trial: Trial | undefined): KnownServer => ({
  isDisabled: server.disabled,
  offers: (tool) => isOffered(server.tools, tool),
  tools: trial !== undefined && 'tools' in trial ? new StoredCatalogue(trial.tools).safe(server).tools : null,
});

const NOT_APPLIED =
  'None of this file is applied until its errors are corrected: servers and routes stay as they were.';

const show = ({ configs }: Boards, verdicts: readonly ServerVerdict[], routes: readonly CheckedRoute[]): void => {
  for (const { file, errors, warnings } of configs) {
    say(plain(file));
    for (const problem of errors) say(paint('red', `  error: ${plain(problemText(problem))}`));
    for (const problem of warnings) say(paint('yellow', `  warning: ${plain(problemText(problem))}`));
    if (errors.length > 0) say(paint('red', `  ${NOT_APPLIED}`));
  }
  for (const { server, reached, verdict, detail } of verdicts) {
    say(`  ${plain(server)}: ${paint(COLOURS[verdict], verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`);
    sayExactly(paint('dim', `    ${plain(reached)}`));
  }
  for (const { route, verdict, detail } of routes)
    say(`  route ${plain(route)}: ${paint(COLOURS[verdict], verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`);
};

/** Verdicts on the servers that would run, and on a project's unapproved servers that have the name of a user's server. */
const verdictsOn = ({ configs, merged }: Boards, secrets: Secrets): readonly ServerVerdict[] => {
  const isApplied = ({ file }: JudgedServer): boolean =>
    configs.every((config) => config.file !== file || config.errors.length === 0);
  return [
    ...merged.servers.map((judged) => verdictOn(judged, secrets, isApplied(judged))),
    ...merged.passedOver.map((judged): ServerVerdict => {
      return { ...verdictOn(judged, secrets, isApplied(judged)), verdict: 'not_approved', detail: OVERRIDDEN };
    }),
  ];
};

/** The tools that there are, for each server of which a route names a tool that it does not have. */
const toolsInstead = ({ providers }: Route, all: ReadonlyMap<string, KnownServer>): string => {
  const wrong = new Set(
    providers.filter(({ server, tool }) => all.get(server)?.tools?.has(tool) === false).map(({ server }) => server),
  );
  return [...wrong]
    .map((server) => {
      const names = [...(all.get(server)?.tools?.keys() ?? [])];
      const more = names.length > CLI_LIMITS.namedTools ? ` and ${names.length - CLI_LIMITS.namedTools} more` : '';
      return `; ${server} has these tools: ${names.slice(0, CLI_LIMITS.namedTools).join(', ')}${more}`;
    })
    .join('');
};

/** Verdicts on the routes. They follow from the entries of each route's servers and from the tools of the servers that answered. */
const routesOf = ({ merged, errors }: Boards, trials: Trials): readonly CheckedRoute[] => {
  const all = new Map(merged.servers.map(({ server }) => [server.name, known(server, trials.get(server))]));
  const good = errors.length === 0 ? 'on' : 'not_applied';
  const checked = merged.routes.map((route): CheckedRoute => {
    const { fault, notes } = checkRoute(route, all);
    const unseen = route.providers.filter(({ server }) => all.get(server)?.tools === null).map(({ server }) => server);
    const said = unseen.length === 0 ? notes : [...notes, `tools not checked: ${[...new Set(unseen)].join(', ')}`];
    const detail = fault === null ? said.join('; ') : `${fault}${toolsInstead(route, all)}`;
    return { route: route.name, verdict: fault === null ? good : 'off', detail };
  });
  return [...checked, ...merged.waiting.map(({ route, why }) => ({ route, verdict: 'off' as const, detail: why }))];
};

export const check = async (named: string | undefined, options: CheckOptions): Promise<number> => {
  const places = findFiles(options, named);
  const { file, origin, config } = places[0] ?? findFile(options, named);
  const stateDir = config.directories.state;
  const secrets = readSecrets(stateDir);
  const boards = readBoards(places, { env: readEnv(), stateDir });
  const isApplied = boards.errors.length === 0;
  const standings = verdictsOn(boards, secrets);
  const ready = new Set(standings.filter(({ verdict }) => verdict === 'ready').map(({ server }) => server));
  const servers = boards.merged.servers.map(({ server }) => server).filter(({ name }) => ready.has(name));
  const trials: Trials = options.start && isApplied ? await tryServers(servers) : new Map();
  const byName = new Map([...trials].map(([{ name }, trial]) => [name, trial]));
  const verdicts = standings.map((verdict) => afterTrial(verdict, byName.get(verdict.server)));
  const routes = routesOf(boards, trials);
  const problems = { errors: boards.errors.map(problemText), warnings: boards.warnings.map(problemText) };
  const files = places.map((place) => ({ file: place.file, origin: place.origin }));
  if (options.json) sayJson({ file, origin, files, ...problems, servers: verdicts, routes });
  else show(boards, verdicts, routes);
  const isFine = verdicts.every(({ verdict }) => ['ready', 'answers', 'disabled'].includes(verdict));
  const isRouted = routes.every(({ verdict }) => verdict === 'on');
  return isApplied && isFine && isRouted ? 0 : EXIT_FAILED;
};
