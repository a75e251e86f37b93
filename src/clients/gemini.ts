// Gemini CLI, and Qwen Code, which is made from it: servers are a part of `settings.json`, which may have comments. Both fill in `$V` and
// `${V}`. Qwen Code gives servers its whole environment, Gemini CLI leaves out the variables whose names or values look like secrets.
import { join } from 'node:path';
import {
  type Around,
  type Client,
  type ClientTarget,
  entryOf,
  inProject,
  placesIn,
  type Translated,
} from './client.js';
import { addSettings, asMembers, type Dialect, toolFilter, translated, translateJson } from './translate.js';

/** What differs between the two programs. */
interface Kind {
  readonly id: 'gemini' | 'qwen';
  readonly title: string;
  readonly dialect: Dialect;
  /** The folder of the user's settings. */
  home(around: Around): string;
  /** The administrator's settings. */
  managed(around: Around): string;
  readonly restart: string;
  /** Further places that say which servers are switched off. */
  off(around: Around): NonNullable<ReturnType<NonNullable<Client['switchedOff']>>>;
  readonly changes: readonly string[];
}

/** Matches `$V` and `${V}`, as both programs do. */
export const SHELL_VARIABLE = /\$(?:\{([^}]*)\}|([A-Za-z_]\w*))/g;

/** Translates an entry in which `httpUrl` may stand for the URL, and which may list its tools. */
const translate = (value: unknown, target: ClientTarget, { dialect, changes }: Kind): Translated =>
  translated(() => {
    const { httpUrl, includeTools, excludeTools, ...others } = asMembers(value);
    const server = { ...others, ...(httpUrl !== undefined && { url: httpUrl }) };
    const filter = toolFilter(includeTools, excludeTools, ['includeTools', 'excludeTools']);
    const done = addSettings(translateJson(server, dialect, target), filter);
    if ('left' in done || others.command === undefined) return done;
    return { ...done, changes: [...done.changes, ...changes] };
  });

const clientOf = (kind: Kind): Client => {
  const settings = (around: Around): string => join(kind.home(around), 'settings.json');
  const inFolder = (around: Around) => inProject(around, `.${kind.id}`, 'settings.json');
  return {
    id: kind.id,
    title: kind.title,
    program: kind.id,
    scopes: ['user', 'project'],
    restart: kind.restart,
    traces: (around) => [kind.home(around), ...inFolder(around)],
    places: (around) => [
      ...placesIn('managed', [kind.managed(around)]),
      ...placesIn('project', inFolder(around)),
      ...placesIn('user', [settings(around)]),
    ],
    switchedOff: (around) => [
      ...[settings(around), ...inFolder(around)].map((file) => ({ file, keys: ['mcp', 'excluded'] })),
      ...kind.off(around),
    ],
    entry: entryOf,
    translate: (server, target) => translate(server, target, kind),
  };
};

const named = (inside: string): string | undefined => (/^[A-Za-z_]\w*$/.test(inside) ? `\${${inside}}` : undefined);

const geminiHome = ({ env, home }: Around): string => join(env.GEMINI_CLI_HOME || home, '.gemini');

export const gemini = clientOf({
  id: 'gemini',
  title: 'Gemini CLI',
  dialect: {
    pattern: SHELL_VARIABLE,
    variable: (inside) => (/^[A-Za-z_]\w*:-/.test(inside) ? `\${${inside}}` : named(inside)),
    inheritEnv: 'minimal',
    cwd: () => 'session',
  },
  home: geminiHome,
  managed: ({ env, platform }) =>
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH ||
    (platform === 'darwin' ? '/Library/Application Support/GeminiCli/settings.json' : '/etc/gemini-cli/settings.json'),
  restart: 'start a new session; it starts servers only in folders that you trust',
  off: (around) => [{ file: join(geminiHome(around), 'mcp-server-enablement.json'), keys: [] }],
  changes: ['inherits few variables; Gemini CLI withheld only those that look secret'],
});

export const qwen = clientOf({
  id: 'qwen',
  title: 'Qwen Code',
  dialect: { pattern: SHELL_VARIABLE, variable: named, inheritEnv: 'all', cwd: () => 'session' },
  home: ({ env, home }) => env.QWEN_HOME || join(home, '.qwen'),
  managed: ({ env, platform }) =>
    env.QWEN_CODE_SYSTEM_SETTINGS_PATH ||
    (platform === 'darwin' ? '/Library/Application Support/QwenCode/settings.json' : '/etc/qwen-code/settings.json'),
  restart: 'start a new session',
  off: () => [],
  changes: [],
});
