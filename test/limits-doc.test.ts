// docs/limits.md is what its generator writes, and no bound stands outside the limits.ts files it is written from.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../src/config.js';

const at = (path: string): string => new URL(`../${path}`, import.meta.url).pathname;
const text = (path: string): string => readFileSync(at(path), 'utf8');

const files = readdirSync(at('src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .toSorted();
const isLimits = (file: string): boolean => /(^|\/)limits\.ts$/.test(file);

interface Room {
  readonly file: string;
  readonly about: string;
  readonly entries: readonly { readonly name: string; readonly value: number; readonly meaning: string }[];
}
interface Reader {
  readonly readRoom: (text: string, file: string) => Room;
  readonly readRooms: () => readonly Room[];
}
interface Renderer {
  readonly readable: (name: string, value: number) => string;
}

const load = async <T>(path: string): Promise<T> =>
  (await import(/* @vite-ignore */ new URL(`../scripts/limits-doc/${path}`, import.meta.url).href)) as T;
const { readRoom, readRooms } = await load<Reader>('read.mjs');
const { readable } = await load<Renderer>('render.mjs');
const rooms = readRooms();

describe('docs/limits.md', () => {
  it('is current; otherwise run `npm run docs`', () => {
    const printed = execFileSync(process.execPath, [at('scripts/document-limits.mjs'), '--print'], {
      encoding: 'utf8',
    });
    expect(printed).toBe(text('docs/limits.md'));
  });

  it('has every limits.ts and every entry with its value', async () => {
    expect(rooms.map(({ file }) => file)).toEqual(files.filter(isLimits).map((file) => `src/${file}`));
    for (const { file, entries } of rooms) {
      const [values] = Object.values((await import(at(file))) as Record<string, object>);
      expect(Object.fromEntries(entries.map(({ name, value }) => [name, value])), file).toEqual(values);
    }
  });

  it('says in a sentence what each entry bounds', () => {
    const mute = rooms.flatMap(({ file, entries }) =>
      entries.filter(({ meaning }) => !/^[A-Z`].{10,}\.$/.test(meaning)).map(({ name }) => `${file}: ${name}`),
    );
    expect(mute).toEqual([]);
  });

  it('names settings that exist and have the bound as their default', () => {
    const named = rooms.flatMap(({ entries }) =>
      entries.flatMap(({ meaning, value }) => [...meaning.matchAll(/COLIBRI_\w+/g)].map(([name]) => [name, value])),
    );
    expect(named.length).toBeGreaterThan(0);
    const defaults = Object.entries(VARIABLES).map(([name, { fallback }]) => [name, fallback]);
    expect(defaults).toEqual(expect.arrayContaining(named));
  });

  it('is not written from what the generator does not understand', () => {
    const room = (body: string) => readRoom(`// Bounds.\nexport const X_LIMITS = {\n${body}} as const;\n`, 'x');
    expect(room('  /** A. */\n  aMs: 2 * 1_000,\n\n  // Part\n  b: 0.5,\n').entries).toEqual([
      { name: 'aMs', value: 2_000, meaning: 'A.' },
      { name: 'b', value: 0.5, meaning: '' },
    ]);
    expect(room('  /**\n   * One\n   * two.\n   */\n  a: 1,\n').entries[0]?.meaning).toBe('One two.');
    expect(() => room('  a: OTHER.a,\n')).toThrow(/not an entry: {3}a: OTHER\.a/);
    expect(() => readRoom("import { a } from './a.js';\n", 'x')).toThrow(/not a comment and one object/);
  });

  it('shows values in units that a person reads', () => {
    const shown: readonly [string, number, string][] = [
      ['aBytes', 24 * 1024, '24 KiB'],
      ['aBytes', 65_535, '65,535 bytes'],
      ['aBytes', 1_000_000_000, '1 GB'],
      ['aMs', 250, '250 ms'],
      ['aMs', 180_000, '3 min'],
      ['aChars', 1_000, '1,000 characters'],
      ['aShare', 0.1, '10 %'],
      ['rows', 5_000, '5,000'],
    ];
    expect(shown.map(([name, value]) => readable(name, value))).toEqual(shown.map(([, , words]) => words));
  });
});

/** Numbers of a module that bound nothing that anybody meets, by name or by file and name, and why. */
const NOT_BOUNDS: Readonly<Record<string, string>> = {
  // Formats and protocols. Bytes and file modes are written 0x… and 0o… and need no row.
  FORMAT: 'ledger format',
  MAC_FORMAT: 'ledger format',
  DERIVED_KEY_BYTES: 'HKDF-SHA-256',
  MOST_PARALLEL_TASKS: 'colibri.reputation/1',
  HALF_LIFE_DAYS: 'colibri.reputation/1',
  UNIT_BITS: 'colibri.reputation/1',
  POINT_BYTES: 'RFC 9381',
  CHALLENGE_BYTES: 'RFC 9381',
  SCALAR_BYTES: 'RFC 9381',
  VRF_KEY_BYTES: 'RFC 9381',
  OUTPUT_BYTES: 'RFC 9381',
  SEPARATORS: 'RFC 9381',
  EXIT_REFUTED: 'exit code',
  HASH_BYTES: 'SHA-256',
  HASH_CHARS: 'SHA-256 in hex',
  BLOCK_BYTES: 'SHA-256',
  HEADER_BYTES: 'SQLite header',
  'ledger/calls/journal-format.ts HEADER_BYTES': 'intent journal',
  FRAME_BYTES: 'intent journal',
  END_BYTES: 'intent journal',
  FIRST_PAGE_BYTES: 'SQLite default page',
  LOG_HEADER_BYTES: 'SQLite write-ahead log',
  FRAME_HEADER_BYTES: 'SQLite write-ahead log',
  'switchboard/link/link-scan.ts BLOCK': 'form of answers',
  'verify/log/members.ts ID_CHARS': 'form of records',
  'verify/log/presence.ts PRESENCE_BYTES': 'layout of the temporary file',
  'verify/log/presence.ts KEY_BYTES': 'layout of the temporary file',
  'verify/scratch.ts KEY_BYTES': 'layout of the temporary file',
  'verify/scratch.ts VALUE_BYTES': 'layout of the temporary file',
  'verify/evidence/trace.ts MOST_REVISIONS': 'layout of the temporary file',
  'verify/evidence/trace.ts ATTEMPTS': 'layout of the temporary file',
  KEY_BYTES: 'Ed25519',
  KEY_HASH_BYTES: 'signed notes',
  KEY_HASH_CHARS: 'signed notes',
  LOG_ID_CHARS: 'ledger format',
  'proof/base64.ts NONE': 'a byte',
  MOST_HASHES: 'C2SP tlog-proof and tlog-witness: the height of a tree',
  MOST_RECORDS: 'ledger format: what a proof file of a call may hold',
  MOST_SIGNATURES: 'C2SP signed notes: as many as Go takes',
  RECORDS_PER_LOG: 'ledger format',
  ADOPTED_WITHIN: 'ledger format',
  SALT_BYTES: 'ledger format',
  SIGNATURE_BYTES: 'Ed25519',
  STORE_ID_BYTES: 'ledger format',
  TILE_LEVEL: 'ledger format',
  'switchboard/config/server-log-place.ts NAME_CHARS': 'layout: characters of a folder’s name',
  'switchboard/refusal.ts LEAST_CHARS': 'layout: a shorter reason says nothing',
  'domains/page.ts CHECKSUM_CHARS': 'form of a cursor',
  'domains/tasks/task.ts TOKEN_STEP': 'form of a lease token',
  'domains/tasks/task.ts TOKEN_STEPS': 'form of a lease token',
  'domains/tasks/task.ts OLD_TOKENS_PER_TASK': 'form of a lease token',
  'domains/tasks/unassign.ts CLAIMS_FORMAT': 'ledger format',
  'verify/evidence/sessions.ts OPEN': 'revision of a session',
  'verify/evidence/sessions.ts SEALED': 'revision of a session',
  'verify/overview.ts END': 'SQLite: beyond every id',
  EXIT_FAILED: 'exit code',
  EXIT_INTERRUPTED: 'exit code',
  EXIT_TIMEOUT: 'exit code',
  'cli/restore/restore.ts EXIT_UNDECIDED': 'exit code',
  'cli/log/line.ts ABOUT_COLUMNS': 'layout of a screen',
  'cli/switchboard/board-lines.ts NARROW_COLUMNS': 'layout of a screen',
  'ledger/open.ts BOUND_FORMAT': 'ledger format',
  'verify/log/kinds.ts BOUND_FORMAT': 'ledger format',
  'verify/log/presence.ts UUID_CHARS': 'form of ids',
  // Units of time.
  SECOND_MS: 'unit',
  MINUTE_MS: 'unit',
  HOUR_MS: 'unit',
  DAY_MS: 'unit',
  DAYS_OF_A_WEEK: 'unit',
  // Layout of a screen.
  INDENT: 'layout',
  'cli/demo/story.ts COLUMNS': 'layout',
  'cli/log/line.ts SHORTEST_NAME': 'layout: characters of a log id',
  'cli/screen/fields.ts LABEL': 'layout',
  'cli/screen/table.ts VERY_LEAST': 'layout',
  'cli/screen/width.ts LEAST': 'layout',
  'cli/screen/width.ts USUAL': 'layout',
  'cli/verify/skill-drift.ts SHOWN_CHARS': 'layout: characters of a digest',
  // How something is done; nobody meets it.
  'cli/demo/crash.ts ANSWERS': 'plot of the demo',
  'cli/demo/crash.ts WRITERS': 'plot of the demo',
  'domains/trail/verify-chain.ts LISTS': 'how many lists a verdict has',
  'ledger/erase.ts TRACE_CHARS': 'enough to tell a copy from chance',
  'switchboard/schema-assertions.ts CHARS_PER_STEP': 'how work is counted',
  'proof/canonical-json.ts FEW': 'which of two ways to sort is faster',
};

/** The lines of src/ outside limits.ts in which a pattern is found, as the file and what was captured. */
const found = (pattern: RegExp): readonly string[] =>
  files
    .filter((file) => !isLimits(file))
    .flatMap((file) => [...text(`src/${file}`).matchAll(pattern)].map(([whole, name]) => `${file} ${name ?? whole}`));

describe('bounds outside limits.ts', () => {
  it('are no constants of a module', () => {
    // What is computed from a bound is no bound of its own.
    const constants = found(/^(?:export )?const (\w+)(?:: number)? = (?!0[xo]|[^;]*_LIMITS\.)\d[^;(]*;$/gm);
    expect(constants.length).toBeGreaterThan(20);
    const isKnown = (place: string) =>
      Object.hasOwn(NOT_BOUNDS, place) || Object.hasOwn(NOT_BOUNDS, place.split(' ')[1] ?? '');
    expect(constants.filter((place) => !isKnown(place))).toEqual([]);
  });

  it('are not written into schemas, options, queries and timers', () => {
    const written = [
      ...found(/\.(?:max|length|lte?)\(\d[\d_]*\)/g),
      ...found(/\.default\([2-9]\d*\)|\.default\(\d{2,}\)/g),
      ...found(/\bLIMIT (?!1\b)\d+/g),
      ...found(/\b(?:setTimeout|setInterval)\([^\n]*, \d[\d_]+\)/g),
      ...found(/\b(?:sleep|pause)\(\d[\d_]*\)/g),
      ...found(/\.(?:slice|substring)\(0, (?:[3-9]|\d{2,})\)/g),
    ];
    // A log is named after the first 32 characters of the hash of its key; a UUID is cut into its parts.
    const isFormat = (place: string) => /\.slice\(0, (32|8)\)$/.test(place);
    expect(written.filter((place) => !isFormat(place))).toEqual([]);
  });
});
