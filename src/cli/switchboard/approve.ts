// `colibri switchboard approve`: shows everything that an approval of a server in a project's switchboard file covers, asks, and records
// the approval.
import { readEnv } from '../../config.js';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { addApprovals } from '../../switchboard/config/approvals.js';
import type { SwitchboardConfig } from '../../switchboard/config/config.js';
import type { InheritEnv } from '../../switchboard/config/connection.js';
import { approvalFor, type JudgedServer } from '../../switchboard/config/consent.js';
import { readBoards } from '../../switchboard/config/followed-files.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readSecrets, type Secrets } from '../../switchboard/config/secrets.js';
import { confirmed } from '../confirm.js';
import type { PlaceOptions } from '../place.js';
import { paint, plain, say, sayJson, tell, tellExactly } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { findFile } from './place.js';
import { reachedBy, secretsByName, shownConnection } from './shown.js';

interface ApproveOptions extends PlaceOptions {
  readonly json?: true;
  readonly yes?: true;
}

/** The keys of a server's entry that connectionLines shows. */
const CONNECTION = ['type', 'command', 'args', 'env', 'cwd', 'inheritEnv', 'url', 'headers'];

/** The environment variables that a server inherits; undefined if it gets only the few that every server gets. */
const inheritedText = (inheritEnv: InheritEnv): string | undefined => {
  if (inheritEnv === 'minimal') return undefined;
  if (inheritEnv === 'all') return 'inheritEnv: "all": it gets your whole environment, with every secret in it';
  return `inheritEnv: it gets these of your environment: ${inheritEnv.join(', ')}`;
};

/** The arguments of a server's command, each on its own line if one is empty or contains spaces or quotes, because a single line would be ambiguous. */
const argumentLines = (args: readonly string[]): readonly string[] =>
  args.some((arg) => arg === '' || /[\s"]/.test(arg))
    ? args.map((arg, at) => `argument ${at + 1}: ${JSON.stringify(arg)}`)
    : [];

const connectionLines = (judged: JudgedServer, secrets: Secrets): readonly string[] => {
  const shown = shownConnection(judged.asked, secrets);
  if (shown.kind === 'http') return Object.entries(shown.headers).map(([name, value]) => `${name}: ${value}`);
  const inherited = inheritedText(shown.inheritEnv);
  return [
    ...argumentLines(shown.args),
    `in ${shown.cwd}`,
    ...Object.entries(shown.env).map(([name, value]) => `${name}=${value}`),
    ...(inherited === undefined ? [] : [inherited]),
  ];
};

const WHY: Readonly<Partial<Record<JudgedServer['standing'], string>>> = {
  changed: ' (changed since you approved it)',
  old: ' (approved before; what it may do was not shown then)',
};

/** Prints what the server starts, where, with which variables, what the server may do, and which routes lead to it. */
const showQuestion = (judged: JudgedServer, config: SwitchboardConfig, secrets: Secrets): void => {
  const { asked, standing } = judged;
  const { entry = {}, routes = {} } = approvalFor(asked, config);
  const told = (value: unknown): string => secretsByName(JSON.stringify(value), secrets);
  const grants = Object.entries(entry).filter(([key]) => !CONNECTION.includes(key));
  const lines = [
    ...connectionLines(judged, secrets),
    ...grants.map(([key, value]) => `${key}: ${told(value)}`),
    ...Object.entries(routes).map(([name, providers]) => `route ${name}: ${told(providers)}`),
  ];
  const reached = plain(reachedBy(asked, secrets));
  tellExactly(`  ${paint('bold', plain(asked.name))}: ${reached}${WHY[standing] ?? ''}`);
  for (const line of lines)
    tellExactly(`    ${line.startsWith('inheritEnv') ? paint('yellow', plain(line)) : plain(line)}`);
};

const wantedOf = (servers: readonly JudgedServer[], names: readonly string[]): readonly JudgedServer[] => {
  const unknown = names.find((name) => !servers.some(({ asked }) => asked.name === name));
  if (unknown !== undefined) throw wrong(`The file has no server ${JSON.stringify(unknown)}.`, 'Look at the file.');
  return names.length === 0 ? servers : servers.filter(({ asked }) => names.includes(asked.name));
};

export const approve = async (names: readonly string[], options: ApproveOptions): Promise<number> => {
  const { file, origin, config: settings } = findFile(options);
  if (origin !== 'project') {
    say(`${plain(file)} is your own; its servers need no approval.`);
    return 0;
  }
  const stateDir = settings.directories.state;
  const { configs, merged } = readBoards([{ file, origin }], { env: readEnv(), stateDir });
  const [config] = configs;
  const fault = config?.errors[0];
  if (config === undefined || fault !== undefined)
    throw wrong(fault === undefined ? `${file} has errors.` : problemText(fault), 'See `colibri switchboard check`.');
  const held = wantedOf(merged.servers, names).filter(({ standing }) => standing !== 'approved');
  const done = (): number => {
    if (options.json) sayJson({ file, approved: held.map(({ asked }) => asked.name) });
    else say(held.length === 0 ? 'Nothing waits for approval.' : `Approved ${count(held.length, 'server')}.`);
    return 0;
  };
  if (held.length === 0) return done();
  tell(`${plain(file)} would start:`);
  const secrets = readSecrets(stateDir);
  for (const judged of held) showQuestion(judged, config, secrets);
  if (!options.yes && process.stdin.isTTY !== true)
    throw wrong('There is no terminal to ask you on.', 'Add --yes if you agree.');
  if (!options.yes && !(await confirmed('May the servers listed above be started?'))) return EXIT_FAILED;
  const at = isoClock()();
  const agreed = held.map(({ asked }) => ({ ...approvalFor(asked, config), at }));
  await changingState(stateDir, (lock) => addApprovals(lock, agreed));
  return done();
};
