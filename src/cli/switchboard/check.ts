// colibri switchboard check: what a file would start. Starts nothing unless asked, and then only what may be started.
import { readEnv } from '../../config.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import type { ServerConfig, SwitchboardConfig } from '../../switchboard/config/config.js';
import { type Consent, consentFor } from '../../switchboard/config/consent.js';
import { readSwitchboard } from '../../switchboard/config/followed-file.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readSecrets, variablesFrom } from '../../switchboard/config/secrets.js';
import type { DeclaredTool } from '../../switchboard/link/link.js';
import type { PlaceOptions } from '../place.js';
import { type Colour, paint, plain, say, sayJson } from '../screen/print.js';
import { absence } from './absence.js';
import { assertFile, findFile } from './place.js';
import { type CheckedRoute, checkRoutes, showRoutes } from './routes.js';
import { reachedBy } from './shown.js';
import { tryServers } from './try.js';

interface CheckOptions extends PlaceOptions {
  readonly json?: true;
  readonly start?: true;
}

export interface ServerVerdict {
  readonly server: string;
  readonly reached: string;
  /**
   * `not_found`: its program or folder is not there; `ready`: nothing keeps it from being started; `answers`: it was, and answered;
   * `not_applied`: only the errors of the file do.
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

const standing = (server: ServerConfig, consent: Consent, isApplied: boolean): ServerVerdict => {
  const basis = { server: server.name, reached: reachedBy(server) };
  if (server.disabled) return { ...basis, verdict: 'disabled', detail: '' };
  switch (consent.holdOf(server)) {
    case 'not_approved':
      return { ...basis, verdict: 'not_approved', detail: 'to start it: colibri switchboard approve' };
    case 'missing_variable':
      return { ...basis, verdict: 'missing_variable', detail: `not set: ${server.missing.join(', ')}` };
    default: {
      const detail = absence(server);
      if (detail !== '') return { ...basis, verdict: 'not_found', detail };
      return { ...basis, verdict: isApplied ? 'ready' : 'not_applied', detail };
    }
  }
};

/** What the servers that answered have listed. */
type Listed = Map<string, readonly DeclaredTool[]>;

const startAll = async (
  config: SwitchboardConfig,
  verdicts: readonly ServerVerdict[],
  listed: Listed,
): Promise<ServerVerdict[]> => {
  const ready = verdicts.filter(({ verdict }) => verdict === 'ready').map(({ server }) => server);
  const trials = await tryServers(config.servers.filter(({ name }) => ready.includes(name)));
  return verdicts.map((verdict): ServerVerdict => {
    const trial = trials.get(verdict.server);
    if (trial === undefined) return verdict;
    if ('fault' in trial) return { ...verdict, verdict: 'fails', detail: trial.fault };
    listed.set(verdict.server, trial.tools);
    return { ...verdict, verdict: 'answers', detail: `${count(trial.tools.length, 'tool')}, ${trial.era} era` };
  });
};

interface Checked {
  readonly config: SwitchboardConfig;
  readonly verdicts: readonly ServerVerdict[];
  readonly routes: readonly CheckedRoute[];
}

const NOT_APPLIED =
  'None of this file is applied until its errors are corrected: servers and routes keep what they had.';

const COLOURS: Readonly<Partial<Record<ServerVerdict['verdict'], Colour>>> = {
  ready: 'green',
  answers: 'green',
  disabled: 'dim',
  not_applied: 'dim',
};

const show = (file: string, { config, verdicts, routes }: Checked): void => {
  say(plain(file));
  for (const problem of config.errors) say(paint('red', `  error: ${plain(problemText(problem))}`));
  for (const problem of config.warnings) say(paint('yellow', `  warning: ${plain(problemText(problem))}`));
  if (config.errors.length > 0) say(paint('red', `  ${NOT_APPLIED}`));
  for (const { server, reached, verdict, detail } of verdicts) {
    say(`  ${plain(server)}: ${paint(COLOURS[verdict] ?? 'red', verdict)}${detail === '' ? '' : `, ${plain(detail)}`}`);
    say(paint('dim', `    ${plain(reached)}`));
  }
  showRoutes(routes);
};

export const check = async (named: string | undefined, options: CheckOptions): Promise<number> => {
  const place = assertFile(findFile(options, named));
  const { file, origin, config: settings } = place;
  const config = readSwitchboard(place, variablesFrom(readEnv(), readSecrets(settings.directories.state)));
  const consent = consentFor(origin, settings.directories.state);
  const isApplied = config.errors.length === 0;
  const standings = config.servers.map((server) => standing(server, consent, isApplied));
  const listed: Listed = new Map();
  const verdicts = options.start && isApplied ? await startAll(config, standings, listed) : standings;
  const routes = checkRoutes(config, listed);
  const problems = { errors: config.errors.map(problemText), warnings: config.warnings.map(problemText) };
  if (options.json) sayJson({ file, origin, ...problems, servers: verdicts, routes });
  else show(file, { config, verdicts, routes });
  const isFine = verdicts.every(({ verdict }) => ['ready', 'answers', 'disabled'].includes(verdict));
  const isRouted = routes.every(({ verdict }) => verdict === 'on');
  return isApplied && isFine && isRouted ? 0 : EXIT_FAILED;
};
