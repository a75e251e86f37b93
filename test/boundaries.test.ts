// The import table and the rules about who may touch what. A rule here is a rule; elsewhere it is a wish.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted();
const text = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));

/** What everybody may import. */
const FLOOR = ['core', 'errors', 'modes', 'redact'];

interface Room {
  /** Whose code it may run. */
  readonly runs: readonly string[];
  /** Of whom it may know types besides. */
  readonly types?: readonly string[];
}

/**
 * Who may import whom. A room is a folder; the five files of src/ are rooms of their own, and so is the list of commands. FLOOR
 * goes without saying, and so do the bounds (`limits.ts`) of a folder above and of a room that may be imported.
 */
const ROOMS: Readonly<Record<string, Room>> = {
  // The root.
  errors: { runs: [] },
  modes: { runs: [] },
  config: { runs: [] },
  server: { runs: ['call', 'config', 'middleware', 'start', 'tools', 'wire'] },
  startup: {
    runs: [
      ...['call', 'ledger/calls', 'server', 'start', 'switchboard/front', 'verify'],
      ...['domains/skills', 'domains/tasks', 'domains/trail'],
    ],
    types: ['config', 'domains/proofs', 'store', 'wire'],
  },
  // Pure, and everybody's floor. core/ knows of modes their names alone.
  core: { runs: [] },
  redact: { runs: ['proof'] },
  proof: { runs: [] },
  // The page that shows what happened: as a file, what it shows, and what draws it in a browser.
  page: { runs: ['proof'] },
  'page/model': { runs: ['proof'] },
  'page/browser': { runs: ['page', 'page/model', 'proof'] },
  vrf: { runs: [] },
  // Rounds in which several decide, below the tools and the approvals that ask for them.
  consensus: { runs: ['ledger', 'proof', 'vrf'], types: ['store'] },
  // Files, the store, the ledger.
  files: { runs: [] },
  store: { runs: [] },
  'store/sqlite': { runs: ['store', 'store/sqlite/migrations'] },
  'store/sqlite/migrations': { runs: [], types: ['store'] },
  'store/postgres': { runs: ['store', 'store/postgres/migrations', 'store/sqlite'] },
  'store/postgres/migrations': { runs: [], types: ['store'] },
  ledger: { runs: ['files', 'proof'], types: ['store'] },
  'ledger/team': { runs: ['files', 'ledger', 'proof'], types: ['store'] },
  'ledger/calls': { runs: ['files', 'ledger', 'proof'], types: ['store'] },
  // One call on its way in.
  call: { runs: ['proof'], types: ['ledger', 'ledger/calls', 'middleware', 'store', 'wire'] },
  middleware: { runs: ['call', 'ledger', 'proof'], types: ['ledger/calls', 'store'] },
  wire: { runs: ['call', 'proof'], types: ['middleware'] },
  // What answers it.
  tools: { runs: ['call'] },
  domains: { runs: ['middleware', 'proof'] },
  'domains/reputation': { runs: ['call', 'domains', 'ledger', 'proof'], types: ['store'] },
  'domains/tasks': {
    runs: ['call', 'domains', 'domains/reputation', 'domains/trail', 'ledger', 'middleware', 'proof', 'store'],
  },
  'domains/trail': { runs: ['call', 'domains', 'domains/tasks', 'ledger', 'middleware', 'proof', 'store'] },
  'domains/proofs': { runs: ['call', 'domains', 'domains/trail', 'ledger', 'middleware', 'proof'], types: ['store'] },
  'domains/router': { runs: ['call', 'domains', 'middleware'] },
  'domains/skills': { runs: ['call', 'domains', 'files', 'proof'] },
  'domains/consensus': {
    runs: [
      'call',
      'consensus',
      'domains',
      'domains/reputation',
      'domains/tasks',
      'ledger',
      'middleware',
      'proof',
      'vrf',
    ],
    types: ['store'],
  },
  // Other servers: from what all its rooms share to what the rest of the process sees.
  switchboard: { runs: ['call', 'proof'], types: ['switchboard/health'] },
  'switchboard/health': { runs: [] },
  'switchboard/config': { runs: ['files', 'proof', 'switchboard', 'switchboard/route'], types: ['switchboard/health'] },
  'switchboard/approval': {
    runs: ['consensus', 'ledger', 'proof', 'switchboard', 'switchboard/records'],
    types: ['call', 'store', 'switchboard/config'],
  },
  'switchboard/link': {
    runs: ['config', 'files', 'proof', 'start', 'switchboard', 'switchboard/config', 'wire'],
    types: ['call', 'switchboard/health', 'switchboard/logs'],
  },
  'switchboard/logs': { runs: ['start', 'switchboard/config', 'switchboard/health', 'switchboard/link'] },
  'switchboard/relay': {
    runs: ['call', 'proof', 'switchboard', 'switchboard/health', 'switchboard/route'],
    types: ['switchboard/link', 'switchboard/server'],
  },
  'switchboard/route': {
    runs: ['call', 'proof', 'switchboard', 'switchboard/approval', 'switchboard/health'],
    types: ['config', 'switchboard/config', 'switchboard/front', 'switchboard/server'],
  },
  'switchboard/server': {
    runs: [
      ...['call', 'proof', 'switchboard', 'switchboard/approval', 'switchboard/config', 'switchboard/health'],
      'switchboard/relay',
    ],
    types: ['switchboard/link'],
  },
  'switchboard/records': {
    runs: ['ledger', 'proof', 'switchboard', 'switchboard/health'],
    types: ['ledger/calls', 'store', 'switchboard/config', 'switchboard/link'],
  },
  'switchboard/front': {
    runs: [
      ...['config', 'ledger', 'proof', 'switchboard', 'switchboard/config', 'switchboard/link', 'switchboard/records'],
      ...['switchboard/logs', 'switchboard/relay', 'switchboard/route', 'switchboard/server', 'switchboard/approval'],
    ],
    types: ['call', 'switchboard/health'],
  },
  // Whether a store contradicts itself.
  'verify/verdict': { runs: ['ledger', 'store/sqlite'] },
  'verify/heads': { runs: ['ledger', 'proof', 'verify/verdict'], types: ['verify'] },
  'verify/evidence': {
    runs: ['domains/tasks', 'domains/trail', 'ledger', 'proof', 'switchboard/records', 'vrf'],
    types: ['verify', 'verify/verdict'],
  },
  'verify/log': {
    runs: ['ledger', 'proof', 'verify/evidence', 'verify/heads', 'verify/verdict'],
    types: ['verify'],
  },
  // What differs from one database engine to the other.
  'verify/engine': {
    runs: [
      ...['store/postgres', 'store/postgres/migrations', 'store/sqlite', 'store/sqlite/migrations'],
      ...['verify/log', 'verify/verdict'],
    ],
    types: ['verify', 'verify/evidence'],
  },
  verify: {
    runs: [
      ...['domains/tasks', 'ledger', 'proof', 'store/postgres/migrations', 'store/sqlite', 'store/sqlite/migrations'],
      ...['verify/engine', 'verify/evidence', 'verify/heads', 'verify/log', 'verify/verdict'],
    ],
    types: ['store'],
  },
  // Putting a process together.
  start: {
    runs: [
      ...['call', 'config', 'files', 'ledger', 'ledger/calls', 'ledger/team', 'proof', 'startup', 'wire'],
      ...['consensus', 'store/postgres', 'store/sqlite'],
      ...['domains/consensus', 'domains/proofs', 'domains/reputation', 'domains/router', 'domains/skills'],
      ...['domains/tasks', 'domains/trail', 'switchboard/approval'],
    ],
    types: ['store'],
  },
  // The person at the terminal.
  clients: { runs: ['files'], types: ['switchboard/config'] },
  'cli/screen': { runs: ['config'] },
  'cli/records': { runs: ['cli/screen', 'ledger', 'proof', 'verify'], types: ['store'] },
  cli: {
    runs: [
      ...[
        'cli/records',
        'cli/screen',
        'config',
        'domains/proofs',
        'domains/trail',
        'files',
        'ledger',
        'ledger/calls',
        'proof',
        'server',
      ],
      ...['start', 'store/sqlite', 'switchboard/records'],
    ],
    types: ['store'],
  },
  'cli/backup': {
    runs: [
      ...['cli', 'cli/records', 'cli/screen', 'files', 'ledger', 'store/sqlite', 'verify', 'verify/heads'],
      'verify/verdict',
    ],
  },
  'cli/checkpoint': { runs: ['cli', 'cli/screen', 'files', 'ledger', 'verify/verdict'], types: ['store'] },
  'cli/demo': { runs: ['cli', 'cli/screen', 'config', 'store/sqlite'], types: ['cli/verify', 'store', 'switchboard'] },
  'cli/doctor': {
    runs: [
      ...['cli', 'cli/init', 'cli/records', 'cli/screen', 'cli/switchboard', 'clients', 'config', 'ledger', 'start'],
      ...['cli/tasks', 'ledger/calls', 'store/postgres', 'store/sqlite', 'switchboard/config', 'verify/heads'],
    ],
    types: ['store'],
  },
  'cli/erase': {
    runs: ['cli', 'cli/records', 'cli/screen', 'domains/trail', 'ledger', 'ledger/calls', 'switchboard/config'],
    types: ['store'],
  },
  'cli/export': {
    runs: ['cli', 'cli/records', 'cli/screen', 'domains/tasks', 'domains/trail', 'ledger'],
    types: ['proof', 'store'],
  },
  'cli/init': {
    runs: [
      ...['cli', 'cli/screen', 'cli/switchboard', 'clients', 'config', 'files', 'proof', 'start'],
      ...['switchboard', 'switchboard/config'],
    ],
  },
  'cli/log': {
    runs: [
      'cli',
      'cli/approvals',
      'cli/records',
      'cli/screen',
      'domains/tasks',
      'domains/trail',
      'ledger',
      'proof',
      'switchboard/records',
    ],
    types: ['store'],
  },
  'cli/logs': {
    runs: ['cli', 'cli/screen', 'cli/switchboard', 'start', 'switchboard/config'],
  },
  'cli/completion': { runs: ['cli', 'cli/screen'] },
  'cli/secret': { runs: ['cli', 'cli/screen', 'proof', 'switchboard/config'] },
  'cli/restore': {
    runs: [
      ...['cli', 'cli/records', 'cli/screen', 'cli/verify', 'config', 'files', 'ledger', 'store/sqlite', 'verify'],
    ],
    types: ['proof', 'store'],
  },
  'cli/page': {
    runs: [
      ...['cli', 'cli/records', 'cli/screen', 'cli/tasks', 'domains/tasks', 'domains/trail', 'ledger', 'page', 'proof'],
      ...['start', 'switchboard/records'],
    ],
    types: ['store'],
  },
  'cli/migrate-store': {
    runs: [...['cli', 'cli/screen', 'config', 'ledger', 'ledger/team', 'start', 'store/postgres', 'verify']],
    types: ['store'],
  },
  'cli/nodes': {
    runs: ['cli', 'cli/records', 'cli/screen', 'ledger', 'ledger/team', 'proof'],
    types: ['store'],
  },
  'cli/prune': { runs: ['cli', 'cli/records', 'cli/screen', 'ledger', 'store/sqlite'], types: ['store'] },
  'cli/report': { runs: ['cli', 'cli/page', 'cli/screen', 'domains/tasks', 'page/model', 'proof'] },
  'cli/status': {
    runs: [
      ...['cli', 'cli/nodes', 'cli/records', 'cli/screen', 'cli/tasks', 'domains/tasks', 'ledger', 'start'],
      'verify/verdict',
    ],
    types: ['store'],
  },
  'cli/approvals': {
    runs: ['cli', 'cli/screen', 'ledger', 'proof', 'switchboard/approval', 'switchboard/records'],
    types: ['store'],
  },
  'cli/switchboard': {
    runs: [
      ...['cli', 'cli/records', 'cli/screen', 'clients', 'config', 'files', 'start', 'switchboard'],
      ...[
        'switchboard/approval',
        'switchboard/config',
        'switchboard/health',
        'switchboard/link',
        'switchboard/records',
        'switchboard/route',
        'switchboard/server',
      ],
    ],
    types: ['store'],
  },
  'cli/tasks': {
    runs: ['cli', 'cli/log', 'cli/records', 'cli/screen', 'domains/tasks', 'ledger'],
    types: ['start', 'store'],
  },
  'cli/uninstall': { runs: ['cli', 'cli/init', 'cli/screen', 'clients', 'files', 'switchboard/config'] },
  'cli/verify': {
    runs: [
      ...['cli', 'cli/page', 'cli/records', 'cli/screen', 'domains/skills', 'domains/tasks', 'ledger', 'page', 'proof'],
      ...['start', 'verify', 'verify/heads', 'verify/verdict'],
    ],
  },
  'cli/voters': {
    runs: ['cli', 'cli/approvals', 'cli/screen', 'consensus', 'ledger', 'proof', 'start'],
    types: ['store'],
  },
  'cli/vrf': { runs: ['cli', 'cli/screen', 'vrf'] },
  'cli/view': {
    runs: ['cli', 'cli/page', 'cli/records', 'cli/screen', 'ledger', 'page'],
    types: ['proof', 'store'],
  },
  'cli/command': {
    runs: [
      ...['cli', 'cli/backup', 'cli/checkpoint', 'cli/demo', 'cli/doctor', 'cli/erase', 'cli/export', 'cli/init'],
      ...[
        'cli/log',
        'cli/logs',
        'cli/page',
        'cli/migrate-store',
        'cli/nodes',
        'cli/prune',
        'cli/report',
        'cli/restore',
        'cli/completion',
        'cli/secret',
        'cli/status',
        'cli/switchboard',
        'cli/approvals',
        'cli/tasks',
        'cli/uninstall',
        'cli/verify',
        'cli/view',
        'cli/voters',
        'cli/vrf',
      ],
      ...['server', 'start', 'wire'],
    ],
  },
};

/** Pairs of rooms that import each other at run time, and why that stands. */
const MUTUAL: Readonly<Record<string, string>> = {
  'domains/tasks domains/trail': 'a note of task_update is a thought, and a thought about a task asks whose it is',
  'start startup': 'serve.ts starts the process; startup.ts loads phase2.ts late, so that the door opens first',
};

/** The list of commands and the entry load every command late; what commands share is beside them. */
const COMMAND_LIST = ['cli/command.ts', 'cli/main.ts'];

const roomOf = (file: string): string => {
  if (COMMAND_LIST.includes(file)) return 'cli/command';
  return file.includes('/') ? posix.dirname(file) : file.replace(/\.ts$/, '');
};

const isLimits = (file: string): boolean => file.endsWith('/limits.ts');

/** The guard and the type of foreign JSON. Everybody's, and in proof/ because that room loads no other. */
const JSON_OBJECT = 'proof/canonical-json.ts';

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  /** Loaded only when it is reached. */
  readonly late: boolean;
}

/** Relative imports of a file, static and dynamic. */
const importsOf = (file: string): Import[] =>
  [...(text.get(file) ?? '').matchAll(/(?:^(import|export)( type)?[^;]*?from |import\()'(\.[^']+)'/gms)].map(
    (found) => ({
      from: file,
      to: posix.normalize(posix.join(posix.dirname(file), found[3] ?? '')).replace(/\.js$/, '.ts'),
      typeOnly: found[2] !== undefined,
      late: found[1] === undefined,
    }),
  );

const all = files.flatMap(importsOf);
const matching = (pattern: RegExp) => files.filter((file) => pattern.test(text.get(file) ?? ''));

describe('imports', () => {
  it('are found', () => {
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter(({ to }) => !text.has(to))).toEqual([]);
  });

  it('stay inside the table', () => {
    const isAllowed = ({ from, to, typeOnly }: Import): boolean => {
      const { runs = [], types = [] } = ROOMS[roomOf(from)] ?? {};
      const known = [...FLOOR, ...runs, ...(typeOnly || isLimits(to) ? types : [])];
      return to === JSON_OBJECT || known.includes(roomOf(to)) || (isLimits(to) && from.startsWith(`${roomOf(to)}/`));
    };
    const outside = all.filter((one) => roomOf(one.from) !== roomOf(one.to) && !isAllowed(one));
    expect(outside.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('the table has no room that does not exist and misses none', () => {
    expect(Object.keys(ROOMS).toSorted()).toEqual([...new Set(files.map(roomOf))].toSorted());
  });

  it('the table permits nothing that nobody needs', () => {
    const used = new Set(all.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`));
    const permitted = Object.entries(ROOMS).flatMap(([room, { runs, types = [] }]) =>
      [...runs, ...types].map((other) => `${room} → ${other}`),
    );
    expect(permitted.filter((pair) => !used.has(pair))).toEqual([]);
  });

  it('no two rooms run each other’s code, but for the pairs listed', () => {
    const pairs = new Set(
      all
        .filter(({ to, typeOnly }) => !typeOnly && !isLimits(to))
        .map(({ from, to }) => `${roomOf(from)} ${roomOf(to)}`)
        .filter((pair) => pair.split(' ')[0] !== pair.split(' ')[1]),
    );
    const mutual = [...pairs].filter((pair) => {
      const [one = '', other = ''] = pair.split(' ');
      return one < other && pairs.has(`${other} ${one}`);
    });
    expect(mutual.toSorted()).toEqual(Object.keys(MUTUAL).toSorted());
  });

  it('of bounds there are none: a limits.ts imports nothing', () => {
    expect(all.filter(({ from }) => isLimits(from))).toEqual([]);
  });

  it('of verification reach no repository but its own', () => {
    const foreign = all.filter(({ from, to }) => /^verify\//.test(from) && /repository\.ts$/.test(to));
    expect(foreign.filter(({ to }) => !to.startsWith('verify/'))).toEqual([]);
  });

  it('of the ledger and the stages reach the store by its port alone', () => {
    const beyond = all.filter(
      ({ from, to }) =>
        /^(ledger|middleware|call|domains)\//.test(from) && /^store\/(?!store\.ts|dialect\.ts|limits\.ts)/.test(to),
    );
    expect(beyond).toEqual([]);
  });

  it('of a start without a switchboard file load nothing of it but the question for the file', () => {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { to } of all.filter((one) => one.from === file && !one.typeOnly && !one.late)) load(to);
    };
    load('start/serve.ts');
    expect([...loaded].filter((file) => file.startsWith('switchboard/')).toSorted()).toEqual([
      'switchboard/config/place.ts',
      'switchboard/config/watch-files.ts',
      'switchboard/front/handle.ts',
      'switchboard/front/switchboard-for.ts',
      'switchboard/limits.ts',
    ]);
  });

  it('make no circle at run time', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        // server.ts loads start/serve.ts late, on purpose: the door opens first.
        all
          .filter(({ from, to, typeOnly }) => from === file && !typeOnly && to !== 'start/serve.ts')
          .map(({ to }) => to),
      ]),
    );
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      else for (const next of edges.get(file) ?? []) visit(next, [...path, file]);
    };
    for (const file of files) visit(file, []);
    expect([...new Set(circles)]).toEqual([]);
  });
});

describe('the house', () => {
  const folders = [...new Set(files.map((file) => posix.dirname(file)))];

  it('has five files at its root', () => {
    expect(files.filter((file) => !file.includes('/'))).toEqual([
      'config.ts',
      'errors.ts',
      'modes.ts',
      'server.ts',
      'startup.ts',
    ]);
  });

  it('keeps the places that its first documents name', () => {
    const kept = [
      ...['tools/health.ts', 'domains/tasks/state-machine.ts', 'domains/tasks/repository.ts'],
      ...['tool-lock', 'validate', 'audit', 'dispatch'].map((stage) => `middleware/${stage}.ts`),
    ];
    expect(kept.filter((file) => !text.has(file))).toEqual([]);
  });

  it('has at most 30 files in a folder', () => {
    const crowded = folders.filter((folder) => files.filter((file) => posix.dirname(file) === folder).length > 30);
    expect(crowded).toEqual([]);
  });

  it('has a README of five lines in every room: what lives there, what it must not know', () => {
    const lines = (room: string): number => {
      const readme = join(SRC, room, 'README.md');
      return existsSync(readme) ? readFileSync(readme, 'utf8').trimEnd().split('\n').length : 0;
    };
    expect(folders.filter((room) => room !== '.' && lines(room) !== 5)).toEqual([]);
  });
});

describe('who may touch what', () => {
  it('process.env: config.ts alone', () => {
    expect(matching(/process\.env/)).toEqual(['config.ts']);
  });

  it('import.meta: core/installed.ts alone, because the bundler moves code into other files', () => {
    expect(matching(/import\.meta/)).toEqual(['core/installed.ts']);
  });

  it('stdout: the wire and the command line', () => {
    expect(matching(/process\.stdout|console\.log/).filter((file) => !/^(wire|cli)\//.test(file))).toEqual([]);
  });

  it('SQL: ledger, store and repositories', () => {
    const sql = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b[^']*\b(FROM|INTO|SET|VALUES|WHERE)\b/;
    expect(matching(sql).filter((file) => !/^(ledger|store)\/|[/-]repository\.ts$/.test(file))).toEqual([]);
  });

  it('the ledger is only ever appended to', () => {
    expect(matching(/(UPDATE|DELETE FROM|REPLACE INTO)\s+(actions|tiles)\b/i)).toEqual([]);
  });

  it('the database engine: store/ alone', () => {
    expect(matching(/from '(better-sqlite3|pg)'/).filter((file) => !file.startsWith('store/'))).toEqual([]);
  });

  it('TOML: clients/ alone', () => {
    expect(matching(/from 'smol-toml'/).filter((file) => !file.startsWith('clients/'))).toEqual([]);
  });

  it('JSON with comments: files/ alone', () => {
    expect(matching(/from 'jsonc-parser'/).filter((file) => !file.startsWith('files/'))).toEqual([]);
  });

  it('curves and their hashes: vrf/, and the browser, which has no others when a file is opened from disk', () => {
    expect(matching(/from '@noble\//).filter((file) => !/^(vrf|page\/browser)\//.test(file))).toEqual([]);
  });

  it('files of the database: opened by SQLite, touched by node:fs only where no connection can be open', () => {
    expect(matching(/from 'node:fs(\/promises)?'/).filter((file) => file.startsWith('store/'))).toEqual([
      'store/postgres/backup.ts', // the folder of the new copy
      'store/sqlite/beside.ts',
      'store/sqlite/file.ts',
      'store/sqlite/identity.ts', // stat alone
      'store/sqlite/instances.ts',
      'store/sqlite/presence.ts', // stat alone, beside an open connection
      'store/sqlite/read-only.ts',
      'store/sqlite/rescue.ts', // the new copy
      'store/sqlite/rollback-journal.ts', // the journal, which has no locks
      'store/sqlite/worker.ts',
    ]);
  });

  it('messages are never decided on', () => {
    expect(matching(/message\.(includes|startsWith|match|endsWith)\(/)).toEqual([]);
  });

  it('no module keeps state', () => {
    expect(matching(/^(export )?let /m)).toEqual([]);
  });
});
