import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type Config,
  type ConfigPlace,
  configDigestInput,
  type Env,
  parseConfig,
  readEnv,
  VARIABLES,
} from './config.js';
import { ColibriError } from './errors.js';

const place: ConfigPlace = { cwd: '/srv/app', home: '/home/ada', platform: 'linux' };
const parse = (env: Env, more: Partial<ConfigPlace> = {}): Config => parseConfig(env, { ...place, ...more });

const refusalOf = (env: Env, more: Partial<ConfigPlace> = {}): ColibriError => {
  try {
    parse(env, more);
  } catch (thrown) {
    if (thrown instanceof ColibriError) return thrown;
  }
  throw new Error('was not refused');
};

const isFrozenAllTheWay = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every((inner) => isFrozenAllTheWay(inner)));

describe('parseConfig', () => {
  it('has a default for everything', () => {
    expect(parse({})).toEqual({
      mode: 'FULL',
      dbPath: undefined,
      databaseUrl: undefined,
      logLevel: 'info',
      startupTimeoutMs: 30_000,
      shutdownTimeoutMs: 5_000,
      durability: 'normal',
      auditPayloads: 'stored',
      switchboard: undefined,
      toolsets: ['core'],
      gates: 'off',
      witnesses: [],
      skillsDir: undefined,
      headsDir: undefined,
      keyFile: undefined,
      depth: 0,
      projectHints: { starts: [{ source: 'working directory', dir: '/srv/app' }], home: '/home/ada' },
      directories: {
        data: '/home/ada/.local/share/colibri',
        state: '/home/ada/.local/state/colibri',
        config: '/home/ada/.config/colibri',
      },
      warnings: [],
    });
  });

  it('counts empty as unset, for every variable', () => {
    const names = [...Object.keys(VARIABLES), 'AMS_MODE', 'CLAUDE_PROJECT_DIR', 'WORKSPACE_FOLDER_PATHS', 'COLIBRI_X'];
    expect(parse(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(parse({}));
  });

  it.each<[string, string, keyof Config, unknown]>([
    ['COLIBRI_MODE', 'READONLY', 'mode', 'READONLY'],
    ['COLIBRI_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['COLIBRI_STARTUP_TIMEOUT_MS', '1000', 'startupTimeoutMs', 1_000],
    ['COLIBRI_STARTUP_TIMEOUT_MS', '600000', 'startupTimeoutMs', 600_000],
    ['COLIBRI_SHUTDOWN_TIMEOUT_MS', '0', 'shutdownTimeoutMs', 0],
    ['COLIBRI_SHUTDOWN_TIMEOUT_MS', '60000', 'shutdownTimeoutMs', 60_000],
    ['COLIBRI_DURABILITY', 'full', 'durability', 'full'],
    ['COLIBRI_AUDIT_PAYLOADS', 'digest', 'auditPayloads', 'digest'],
    ['COLIBRI_AUDIT_PAYLOADS', 'none', 'auditPayloads', 'none'],
    ['COLIBRI_DB_PATH', '/x/y.db', 'dbPath', '/x/y.db'],
    ['COLIBRI_DB_PATH', 'y.db', 'dbPath', '/srv/app/y.db'],
    ['COLIBRI_DB_PATH', '../a/./y.db', 'dbPath', '/srv/a/y.db'],
    ['COLIBRI_DB_PATH', '~/y.db', 'dbPath', '/home/ada/y.db'],
    ['COLIBRI_DB_PATH', 'a~/y.db', 'dbPath', '/srv/app/a~/y.db'],
    ['COLIBRI_SWITCHBOARD', '~', 'switchboard', '/home/ada'],
    ['COLIBRI_SKILLS_DIR', 'skills', 'skillsDir', '/srv/app/skills'],
    ['COLIBRI_HEADS_DIR', '/mnt/heads', 'headsDir', '/mnt/heads'],
    ['COLIBRI_KEY_FILE', '~/.keys/k', 'keyFile', '/home/ada/.keys/k'],
    ['COLIBRI_DATABASE_URL', 'postgres://u:p@h:5432/d', 'databaseUrl', 'postgres://u:p@h:5432/d'],
    ['COLIBRI_DATABASE_URL', 'postgresql:///d?host=/run', 'databaseUrl', 'postgresql:///d?host=/run'],
  ])('%s=%s', (name, text, field, value) => {
    expect(parse({ [name]: text })[field]).toBe(value);
  });

  it.each<[string, readonly string[]]>([
    ['COLIBRI_MODE', ['full', 'FULL,TEST', ' FULL']],
    ['COLIBRI_LOG_LEVEL', ['INFO', 'trace', 'info ', 'silent']],
    [
      'COLIBRI_STARTUP_TIMEOUT_MS',
      ['999', '600001', '-1', '1e4', '0x2000', '5000.0', ' 5000', '5_000', '05000', 'NaN'],
    ],
    ['COLIBRI_STARTUP_TIMEOUT_MS', ['9'.repeat(400), '٣٠٠٠', 'Infinity', '+5000', '5s']],
    ['COLIBRI_SHUTDOWN_TIMEOUT_MS', ['60001', '-0', '00', 'none']],
    ['COLIBRI_DURABILITY', ['FULL', 'off']],
    ['COLIBRI_AUDIT_PAYLOADS', ['true', 'digests']],
    ['COLIBRI_DB_PATH', ['~bob/x.db', `\${workspaceFolder}/x.db`, ':memory:', 'file:x.db', 'a\0b']],
    ['COLIBRI_PROJECT_DIR', [`\${env:PWD}`]],
    ['COLIBRI_SWITCHBOARD', ['~bob']],
    ['COLIBRI_SKILLS_DIR', ['~bob']],
    ['COLIBRI_HEADS_DIR', ['~bob']],
    ['COLIBRI_KEY_FILE', ['~bob']],
    [
      'COLIBRI_DATABASE_URL',
      ['mysql://h/d', 'postgres:h', 'h:5432/d', 'true', '/x.db', 'postgres//h', ' postgres://h'],
    ],
  ])('refuses %s of %j', (name, texts) => {
    for (const text of texts) {
      const error = refusalOf({ [name]: text });
      expect(error.code).toBe('CONFIG_INVALID');
      expect(error.message.split('\n')).toHaveLength(1);
      expect(error.message.startsWith(`${name}=`)).toBe(true);
      expect(error.message).toContain(`allowed: ${VARIABLES[name as keyof typeof VARIABLES].values}`);
    }
  });

  it('tests a refusal of every variable', () => {
    for (const name of Object.keys(VARIABLES)) expect(refusalOf({ [name]: `\${UNSET}` }).message).toContain(`${name}=`);
  });

  it('collects all problems, one line each', () => {
    const error = refusalOf(
      { AMS_MODE: 'FULL', COLIBRI_MODE: 'x', COLIBRI_DURABILITY: 'a\nb', COLIBRI_DB_PATH: '~bob/x' },
      { projectFlag: '' },
    );
    expect(error.message.split('\n')).toEqual([
      'AMS_MODE="FULL" is refused; unset it and set COLIBRI_MODE to one of: FULL READONLY TEST MINIMAL',
      'COLIBRI_MODE="x" is not allowed; allowed: FULL READONLY TEST MINIMAL',
      'COLIBRI_DB_PATH="~bob/x" is not allowed; allowed: path',
      'COLIBRI_DURABILITY="a\\nb" is not allowed; allowed: normal full',
      '--project="" is not allowed; allowed: path',
    ]);
  });

  it('is frozen all the way down', () => {
    const config = parse({ COLIBRI_MODEL: 'x', CLAUDE_PROJECT_DIR: '/p' });
    expect(isFrozenAllTheWay(config)).toBe(true);
    expect(config.warnings).toHaveLength(1);
  });

  it('does not look at the real environment', () => {
    expect(parseConfig(Object.freeze({}), place)).toEqual(parse({}));
    expect(readEnv().PATH).toBeTypeOf('string');
  });
});

describe('project hints', () => {
  const startsOf = (env: Env, more: Partial<ConfigPlace> = {}): string[] =>
    parse(env, more).projectHints.starts.map(({ source, dir }) => `${source} ${dir}`);

  it('keeps the order in which they count', () => {
    const env = { COLIBRI_PROJECT_DIR: 'b', CLAUDE_PROJECT_DIR: '/c', WORKSPACE_FOLDER_PATHS: '/d:/e' };
    expect(startsOf(env, { projectFlag: '~/a' })).toEqual([
      '--project /home/ada/a',
      'COLIBRI_PROJECT_DIR /srv/app/b',
      'CLAUDE_PROJECT_DIR /c',
      'WORKSPACE_FOLDER_PATHS /d',
      'working directory /srv/app',
    ]);
  });

  it.each([
    ['/a:/b', '/a'],
    ['/a,/b', '/a'],
    ['/a\n/b', '/a'],
    ['/a\r\n/b', '/a'],
    [' , \n /a ,/b', '/a'],
    ['/with space/x', '/with space/x'],
    ['~/a', '/home/ada/a'],
  ])('takes the first of WORKSPACE_FOLDER_PATHS=%j', (text, dir) => {
    expect(startsOf({ WORKSPACE_FOLDER_PATHS: text })[0]).toBe(`WORKSPACE_FOLDER_PATHS ${dir}`);
  });

  it('never refuses what a client set', () => {
    expect(startsOf({ WORKSPACE_FOLDER_PATHS: ' ,:', CLAUDE_PROJECT_DIR: `\${X}` })).toEqual([
      `CLAUDE_PROJECT_DIR /srv/app/\${X}`,
      'working directory /srv/app',
    ]);
  });
});

describe('warnings', () => {
  it.each([
    ['COLIBRI_LOGLEVEL', 'COLIBRI_LOG_LEVEL'],
    ['COLIBRI_DBPATH', 'COLIBRI_DB_PATH'],
    ['COLIBRI_DATABASE', 'COLIBRI_DATABASE_URL'],
    ['COLIBRI_STARTUP_TIMEOUT', 'COLIBRI_STARTUP_TIMEOUT_MS'],
    ['COLIBRI_PROJECT', 'COLIBRI_PROJECT_DIR'],
  ])('%s suggests %s', (typed, meant) => {
    const { warnings } = parse({ [typed]: 'secret-value' });
    expect(warnings).toEqual([`${typed} is not a setting of Colibri and is ignored; the nearest name is ${meant}`]);
  });

  it('points to the document where nothing is near', () => {
    const { warnings } = parse({ COLIBRI_WHATEVER_THIS_MAY_BE: '1' });
    expect(warnings).toEqual([expect.stringMatching(/ is ignored; see docs\/configuration\.md$/)]);
  });

  it('knows COLIBRI_DEPTH and leaves other names alone', () => {
    expect(parse({ COLIBRI_DEPTH: '1', COLIBRIX: '1', colibri_mode: 'x', PATH: '/bin' }).warnings).toEqual([]);
  });

  it('stays on one short line for a hostile name', () => {
    const [line = ''] = parse({ [`COLIBRI_${'\n'.repeat(5_000)}`]: '1' }).warnings;
    expect(line).not.toContain('\n');
    expect(line.length).toBeLessThan(400);
  });
});

describe('secrets', () => {
  const SECRET = 's3cr3t';

  it.each([
    `mysql://u:${SECRET}@h/d`,
    `postgres//u:${SECRET}@h/d`,
    `u:${SECRET}@h/d`,
    `postgres:u:${SECRET}@h/d`,
    `postgres://u:1/${SECRET}@h/d`,
    `postgres://u:1?${SECRET}@h/d`,
    `postgres://u:1#${SECRET}@h/d`,
    `postgres://u:1#${SECRET}`,
    `postgres://u:${SECRET}/x@h/d`,
    `http://h/d?password=${SECRET}`,
    `host=h password=${SECRET}`,
    `password:${SECRET}`,
    `postgres:${SECRET}`,
    SECRET,
  ])('a refused URL shows none: %s', (url) => {
    const { message } = refusalOf({ COLIBRI_DATABASE_URL: url });
    expect(message).toMatch(/^COLIBRI_DATABASE_URL=/);
    expect(message).not.toContain(SECRET);
  });

  it.each([
    [`postgres://u:${SECRET}@h:5432/d`, 'postgres://u@h:5432/d'],
    [`postgres://u:a@${SECRET}@h/d`, 'postgres://u@h/d'],
    [
      `postgres://h/d?user=u&password=${SECRET}&sslmode=require&sslpassword=${SECRET}`,
      'postgres://h/d?user=u&password=***&sslmode=require&sslpassword=***',
    ],
    [`postgres://h/d?Password=${SECRET}&Password=${SECRET}`, 'postgres://h/d?Password=***'],
  ])('the digest input has none: %s', (url, shown) => {
    const input = configDigestInput(parse({ COLIBRI_DATABASE_URL: url }));
    expect(input.databaseUrl).toBe(shown);
    expect(JSON.stringify(input)).not.toContain(SECRET);
  });
});

describe('configDigestInput', () => {
  it('is plain JSON', () => {
    const input = configDigestInput(parse({}));
    expect(JSON.parse(JSON.stringify(input))).toEqual(input);
    expect(input).toMatchObject({ mode: 'FULL', dbPath: null, databaseUrl: null, startupTimeoutMs: 30_000 });
  });

  it('is the same in two folders and changes with a setting', () => {
    const text = (config: Config): string => JSON.stringify(configDigestInput(config));
    expect(text(parse({}, { cwd: '/elsewhere' }))).toBe(text(parse({})));
    expect(text(parse({ COLIBRI_DURABILITY: 'full' }))).not.toBe(text(parse({})));
  });
});

describe('docs/configuration.md', () => {
  it('has the table of the code', () => {
    const rows = Object.entries(VARIABLES).map(
      ([name, variable]) => `| \`${name}\` | ${variable.values} | ${variable.default} | ${variable.meaning} |`,
    );
    const document = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8');
    expect(document.split('\n').filter((line) => line.startsWith('| `COLIBRI_'))).toEqual(rows);
  });
});
