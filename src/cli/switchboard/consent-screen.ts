// Shows everything that an approval of a server in a project's switchboard file covers, before the person is asked.
import type { SwitchboardConfig } from '../../switchboard/config/config.js';
import type { InheritEnv } from '../../switchboard/config/connection.js';
import { approvalFor, type JudgedServer } from '../../switchboard/config/consent.js';
import type { Secrets } from '../../switchboard/config/secrets.js';
import { paint, plain, tellExactly } from '../screen/print.js';
import { reachedBy, secretsByName, shownConnection } from './shown.js';

/** The keys of a server's entry that connectionLines shows. */
const CONNECTION = ['type', 'command', 'args', 'env', 'cwd', 'inheritEnv', 'url', 'headers'];

/** The environment variables that a server inherits; undefined if it gets only the few that every server gets. */
const inheritedText = (inheritEnv: InheritEnv): string | undefined => {
  if (inheritEnv === 'minimal') return undefined;
  if (inheritEnv === 'all') return 'inheritEnv: "all": it gets your whole environment, with every secret in it';
  return `inheritEnv: it gets these of your environment: ${inheritEnv.join(', ')}`;
};

/** The arguments, each on its own line if one is empty or contains spaces or quotes, because a single line would be ambiguous. */
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
export const showQuestion = (judged: JudgedServer, config: SwitchboardConfig, secrets: Secrets): void => {
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
