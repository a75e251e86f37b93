// `colibri switchboard approve`: shows everything that an approval of a server in a project's switchboard file covers, and how tools that are
// held have changed, asks, and records the approval.
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
import { approveTools, showChanges, type WaitingTools, waitingTools } from './approve-tools.js';
import { findFile, findFiles, projectKeyOf } from './place.js';
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

/** The servers of these names; all if none is named. */
const wantedOf = (servers: readonly JudgedServer[], names: readonly string[]): readonly JudgedServer[] => {
  const unknown = names.find((name) => !servers.some(({ asked }) => asked.name === name));
  if (unknown !== undefined) throw wrong(`The file has no server ${JSON.stringify(unknown)}.`, 'Look at the file.');
  return names.length === 0 ? servers : servers.filter(({ asked }) => names.includes(asked.name));
};

interface Asked {
  readonly file: string;
  readonly config: SwitchboardConfig | undefined;
  /** Servers of the project's file that may not run as the file has them. */
  readonly held: readonly JudgedServer[];
  readonly tools: readonly WaitingTools[];
}

/** Finds what waits for approval: entries of the project's file, and tools that changed. */
const waitingFor = async (names: readonly string[], options: ApproveOptions, stateDir: string): Promise<Asked> => {
  const { file, origin } = findFile(options);
  const places = findFiles(options);
  const { configs, merged } = readBoards(places, { env: readEnv(), stateDir });
  const [config] = configs;
  const fault = config?.errors[0];
  if (config === undefined || fault !== undefined)
    throw wrong(fault === undefined ? `${file} has errors.` : problemText(fault), 'See `colibri switchboard check`.');
  const wanted = wantedOf([...merged.servers, ...merged.passedOver], names);
  const held =
    origin === 'project' ? wanted.filter((one) => one.origin === 'project' && one.standing !== 'approved') : [];
  const running = wanted.filter(({ standing }) => standing !== 'not_approved').map(({ server }) => server);
  const tools = await waitingTools(running, projectKeyOf(options), { ...options, stateDir });
  return { file, config: origin === 'project' ? config : undefined, held, tools };
};

const asked = (tools: readonly WaitingTools[]) =>
  tools.flatMap(({ key, changes }) => [...changes].map(([tool, change]) => ({ server: key.server, tool, ...change })));

const show = ({ file, config, held, tools }: Asked, secrets: Secrets): void => {
  if (config !== undefined && held.length > 0) {
    tell(`${plain(file)} would start:`);
    for (const judged of held) showQuestion(judged, config, secrets);
  }
  if (tools.length > 0) tell('Tools that are held:');
  for (const one of tools) showChanges(one);
};

const doneText = ({ file, config, held, tools }: Asked): string => {
  if (held.length === 0 && tools.length === 0)
    return config === undefined
      ? `${plain(file)} is your own; its servers need no approval.`
      : 'Nothing waits for approval.';
  const changed = asked(tools).length;
  const parts = [
    ...(held.length > 0 ? [count(held.length, 'server')] : []),
    ...(changed > 0 ? [count(changed, 'tool')] : []),
  ];
  return `Approved ${parts.join(' and ')}.`;
};

const QUESTIONS = {
  servers: 'May the servers listed above be started?',
  tools: 'May the tools listed above be called as they are now?',
  both: 'May the servers listed above be started, and the tools be called as they are now?',
} as const;

export const approve = async (names: readonly string[], options: ApproveOptions): Promise<number> => {
  const stateDir = findFile(options).config.directories.state;
  const waiting = await waitingFor(names, options, stateDir);
  const { file, config, held, tools } = waiting;
  const done = (): number => {
    if (options.json)
      sayJson({
        file,
        approved: held.map(({ asked }) => asked.name),
        ...(tools.length > 0 && { tools: asked(tools) }),
      });
    else say(doneText(waiting));
    return 0;
  };
  if (held.length === 0 && tools.length === 0) return done();
  show(waiting, readSecrets(stateDir));
  if (!options.yes && process.stdin.isTTY !== true)
    throw wrong('There is no terminal to ask you on.', 'Add --yes if you agree.');
  const question = held.length === 0 ? 'tools' : tools.length === 0 ? 'servers' : 'both';
  if (!options.yes && !(await confirmed(QUESTIONS[question], 'Nothing was approved.'))) {
    tell('Nothing was approved: what waits keeps waiting.');
    return EXIT_FAILED;
  }
  if (config !== undefined && held.length > 0) {
    const at = isoClock()();
    const agreed = held.map(({ asked }) => ({ ...approvalFor(asked, config), at }));
    await changingState(stateDir, (lock) => addApprovals(lock, agreed));
  }
  approveTools(tools, stateDir);
  return done();
};
