// `colibri switchboard check`: says which servers a switchboard file would start. With `--start` the ready ones are started as a trial.
import { readEnv } from '../../config.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { consentHold, consentNote, type JudgedServer } from '../../switchboard/config/consent.js';
import { type Boards, readBoards } from '../../switchboard/config/followed-files.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readSecrets, type Secrets } from '../../switchboard/config/secrets.js';
import type { DeclaredTool } from '../../switchboard/link/link.js';
import type { PlaceOptions } from '../place.js';
import { type Colour, paint, plain, say, sayExactly, sayJson } from '../screen/print.js';
import { absence } from './absence.js';
import { assertFile, findFiles } from './place.js';
import { type CheckedRoute, checkRoutes, showRoutes } from './routes.js';
import { reachedBy } from './shown.js';
import { tryServers } from './try.js';

interface CheckOptions extends PlaceOptions {
  readonly json?: true;
  readonly start?: true;
}

export interface ServerVerdict {
  readonly server: string;
  readonly file: string;
  readonly reached: string;
  /**
   * `not_found`: the server's program or folder does not exist; `ready`: the server can be started; `answers`: it was started and
   * answered; `not_applied`: it could be started, but the switchboard file has errors.
   */
  readonly verdict:
    | 'disabled'
    | 'not_approved'
    | 'missing_variable'
    | 'not_found'
    | 'not_applied'
    | 'ready'
    | 'answers'
    | 'fails';
  readonly detail: string;
}

const OVERRIDDEN =
  'not approved, so your own server of this name is used; to see and approve it: colibri switchboard approve';

const verdictOn = (judged: JudgedServer, secrets: Secrets, isApplied: boolean): ServerVerdict => {
  const { server, standing: consent } = judged;
  const basis = { server: server.name, file: judged.file, reached: reachedBy(server, secrets) };
  if (server.disabled) return { ...basis, verdict: 'disabled', detail: '' };
  switch (consentHold(judged)) {
    case 'not_approved':
      return { ...basis, verdict: 'not_approved', detail: 'to start it: colibri switchboard approve' };
    case 'missing_variable':
      return { ...basis, verdict: 'missing_variable', detail: `not set: ${server.missing.join(', ')}` };
    default: {
      const absent = absence(server);
      if (absent !== '') return { ...basis, verdict: 'not_found', detail: absent };
      const detail = consentNote({ standing: consent }) ?? '';
      return { ...basis, verdict: isApplied ? 'ready' : 'not_applied', detail };
    }
  }
};

/** The tools of each server that answered, by the server's name. */
type Listed = Map<string, readonly DeclaredTool[]>;

const startAll = async (
  servers: readonly ServerConfig[],
  verdicts: readonly ServerVerdict[],
  listed: Listed,
): Promise<ServerVerdict[]> => {
  const ready = verdicts.filter(({ verdict }) => verdict === 'ready').map(({ server }) => server);
  const trials = await tryServers(servers.filter(({ name }) => ready.includes(name)));
  return verdicts.map((verdict): ServerVerdict => {
    const trial = trials.get(verdict.server);
    if (trial === undefined) return verdict;
    if ('fault' in trial) return { ...verdict, verdict: 'fails', detail: trial.fault };
    listed.set(verdict.server, trial.tools);
    const note = verdict.detail === '' ? '' : `; ${verdict.detail}`;
    return { ...verdict, verdict: 'answers', detail: `${count(trial.tools.length, 'tool')}, ${trial.era} era${note}` };
  });
};

interface Checked {
  readonly boards: Boards;
  readonly verdicts: readonly ServerVerdict[];
  readonly routes: readonly CheckedRoute[];
}

const NOT_APPLIED =
  'None of this file is applied until its errors are corrected: servers and routes stay as they were.';

const COLOURS: Readonly<Partial<Record<ServerVerdict['verdict'], Colour>>> = {
  ready: 'green',
  answers: 'green',
  disabled: 'dim',
  not_applied: 'dim',
};

const show = ({ boards, verdicts, routes }: Checked): void => {
  for (const { file, errors, warnings } of boards.configs) {
    say(plain(file));
    for (const problem of errors) say(paint('red', `  error: ${plain(problemText(problem))}`));
    for (const problem of warnings) say(paint('yellow', `  warning: ${plain(problemText(problem))}`));
    if (errors.length > 0) say(paint('red', `  ${NOT_APPLIED}`));
  }
  for (const { server, reached, verdict, detail } of verdicts) {
    say(`  ${plain(server)}: ${paint(COLOURS[verdict] ?? 'red', verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`);
    sayExactly(paint('dim', `    ${plain(reached)}`));
  }
  showRoutes(routes);
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

const routesOf = ({ merged, errors }: Boards, listed: Listed): readonly CheckedRoute[] => [
  ...checkRoutes({ servers: merged.servers.map(({ server }) => server), routes: merged.routes, errors }, listed),
  ...merged.waiting.map(({ route, why }): CheckedRoute => ({ route, verdict: 'off', detail: why })),
];

export const check = async (named: string | undefined, options: CheckOptions): Promise<number> => {
  const places = findFiles(options, named);
  const { file, origin, config: settings } = assertFile(places[0]);
  const stateDir = settings.directories.state;
  const secrets = readSecrets(stateDir);
  const boards = readBoards(places, { env: readEnv(), stateDir });
  const isApplied = boards.errors.length === 0;
  const standings = verdictsOn(boards, secrets);
  const listed: Listed = new Map();
  const servers = boards.merged.servers.map(({ server }) => server);
  const verdicts = options.start && isApplied ? await startAll(servers, standings, listed) : standings;
  const routes = routesOf(boards, listed);
  const problems = { errors: boards.errors.map(problemText), warnings: boards.warnings.map(problemText) };
  const files = places.map((place) => ({ file: place.file, origin: place.origin }));
  if (options.json) sayJson({ file, origin, files, ...problems, servers: verdicts, routes });
  else show({ boards, verdicts, routes });
  const isFine = verdicts.every(({ verdict }) => ['ready', 'answers', 'disabled'].includes(verdict));
  const isRouted = routes.every(({ verdict }) => verdict === 'on');
  return isApplied && isFine && isRouted ? 0 : EXIT_FAILED;
};
