// The import table and the rules about who may touch what. A rule here is a rule; elsewhere it is a wish.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted();
const text = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]));

/** What a file may import, by room. A room is a folder, or a file of src/ itself. */
const CORE = [
  ...['cancellation', 'clock', 'errors', 'exit-codes', 'figures', 'ids', 'limits', 'modes', 'nearest', 'patience'],
  ...['peer', 'within'],
];
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Pure and small: everybody's floor.
  cancellation: [],
  clock: [],
  errors: [],
  'exit-codes': [],
  figures: [],
  limits: [],
  ids: [],
  nearest: [],
  patience: [],
  peer: [],
  within: [],
  modes: ['errors'],
  machine: [],
  version: ['errors'],
  instructions: ['modes'],
  // Settings.
  directories: CORE,
  config: [...CORE, 'directories'],
  project: [...CORE, 'config'],
  'log-file': [...CORE, 'config'],
  // Data.
  store: CORE,
  ledger: [...CORE, 'store'],
  // Calls.
  context: [...CORE, 'ledger', 'store', 'middleware', 'routing'],
  routing: ['context', 'ledger'],
  gate: [...CORE, 'context'],
  middleware: [...CORE, 'context', 'ledger', 'store'],
  wire: [...CORE, 'ledger', 'middleware'],
  registry: [...CORE, 'context', 'wire'],
  tools: [...CORE, 'context', 'registry'],
  domains: [...CORE, 'context', 'ledger', 'middleware', 'registry', 'routing', 'store'],
  verify: [...CORE, 'domains', 'ledger', 'store', 'switchboard'],
  switchboard: [...CORE, 'config', 'context', 'ledger', 'machine', 'routing', 'store', 'wire'],
  clients: [...CORE, 'ledger', 'switchboard'],
  // Putting it together.
  server: [...CORE, 'config', 'context', 'instructions', 'middleware', 'registry', 'tools', 'version', 'wire', 'serve'],
  'open-ledger': [...CORE, 'config', 'domains', 'ledger', 'log-file', 'machine', 'project', 'store'],
  phase2: [...CORE, 'config', 'ledger', 'open-ledger', 'project', 'store'],
  startup: [
    ...CORE,
    'config',
    'context',
    'domains',
    'gate',
    'ledger',
    'log-file',
    'open-ledger',
    'phase2',
    'project',
    'server',
    'switchboard',
    'verify',
    'wire',
  ],
  serve: [...CORE, 'config', 'log-file', 'project', 'startup', 'wire'],
  cli: [
    ...CORE,
    'clients',
    'config',
    'domains',
    'ledger',
    'machine',
    'phase2',
    'project',
    'server',
    'store',
    'switchboard',
    'verify',
    'version',
    'wire',
  ],
};

const roomOf = (file: string): string => file.split('/')[0]?.replace(/\.ts$/, '') ?? '';

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
    const outside = all
      .map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to), at: from }))
      .filter(({ from, to }) => from !== to && !ALLOWED[from]?.includes(to));
    expect(outside).toEqual([]);
  });

  it('the table has no room that does not exist and misses none', () => {
    expect(Object.keys(ALLOWED).toSorted()).toEqual([...new Set(files.map(roomOf))].toSorted());
  });

  it('of the ledger and the stages reach the store by its port alone', () => {
    const beyond = all.filter(
      ({ from, to }) => /^(ledger|middleware|context|domains)/.test(from) && /^store\/(?!store\.ts)/.test(to),
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
    load('serve.ts');
    expect([...loaded].filter((file) => file.startsWith('switchboard/')).toSorted()).toEqual([
      'switchboard/config/place.ts',
      'switchboard/front/handle.ts',
      'switchboard/config/watch-files.ts',
    ]);
  });

  it('make no circle at run time', () => {
    const edges = new Map(
      files.map((file) => [
        file,
        // server.ts loads serve.ts late, on purpose: the door opens first.
        all.filter(({ from, to, typeOnly }) => from === file && !typeOnly && to !== 'serve.ts').map(({ to }) => to),
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

describe('who may touch what', () => {
  it('process.env: config.ts alone', () => {
    expect(matching(/process\.env/)).toEqual(['config.ts']);
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
    expect(matching(/from 'better-sqlite3'/).filter((file) => !file.startsWith('store/'))).toEqual([]);
  });

  it('TOML: clients/ alone', () => {
    expect(matching(/from 'smol-toml'/).filter((file) => !file.startsWith('clients/'))).toEqual([]);
  });

  it('files of the database: opened by SQLite, touched by node:fs only where no connection can be open', () => {
    expect(matching(/from 'node:fs(\/promises)?'/).filter((file) => file.startsWith('store/'))).toEqual([
      'store/sqlite/file.ts',
      'store/sqlite/instances.ts',
      'store/sqlite/read-only.ts',
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
