// docs/audit-format.md is what a stranger builds a verifier from: its example is computed, its columns are the code's.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { digestedOf } from '../src/domains/tasks/task.js';
import { type EvidenceRow, subjectOf } from '../src/ledger/evidence.js';
import { EVERY_RECORD } from '../src/proof/record-parts.js';
import { PARTS, RECORDS } from '../src/proof/records.js';
import { SCALARS } from '../src/proof/shape.js';
import { APPLICATION_ID } from '../src/store/sqlite/file.js';
import { MIGRATIONS } from '../src/store/sqlite/migrations/index.js';
import { schemaOf } from '../src/store/sqlite/schema.js';
import { isCanonical } from '../src/verify/log/canonical.js';
import { readingFault } from '../src/verify/log/kinds.js';

const text = readFileSync(new URL('../docs/audit-format.md', import.meta.url), 'utf8');
const line = (name: string): string => new RegExp(`^${name} +(.*)$`, 'm').exec(text)?.[1] ?? '';
const sha = (...parts: (string | Buffer)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('hex');

it('has the table of records that the code has; otherwise run `npm run docs`', async () => {
  const { withRecords } = (await import(
    /* @vite-ignore */ new URL('../scripts/records-doc/render.mjs', import.meta.url).href
  )) as { withRecords: (text: string, tables: object) => string };
  expect(withRecords(text, { every: EVERY_RECORD, records: RECORDS, scalars: SCALARS, parts: PARTS })).toBe(text);
});

it('has the schema that the migrations make; otherwise run `npm run docs`', async () => {
  const { withSchema } = (await import(
    /* @vite-ignore */ new URL('../scripts/schema-doc/render.mjs', import.meta.url).href
  )) as { withSchema: (text: string, schema: object) => string };
  const schemas = MIGRATIONS.map(({ version }) => schemaOf(MIGRATIONS, version));
  const migrations = MIGRATIONS.map(({ sql }) => sql);
  expect(withSchema(text, { applicationId: APPLICATION_ID, schemas, migrations })).toBe(text);
});

it('the schema in the document makes exactly that schema', () => {
  const sql = /```sql\n([\s\S]*?)\n```/.exec(text)?.[1] ?? '';
  const made = schemaOf([{ version: 1, name: 'document', sql }], 1);
  expect(made).toEqual(schemaOf(MIGRATIONS, MIGRATIONS.length));
});

it('names every table and says whether it is judged', () => {
  const named = [...text.matchAll(/^\| (`[a-z_`, ]+`) \| .* \| .* \|$/gm)].flatMap((row) => (row[1] ?? '').split(', '));
  const tables = schemaOf(MIGRATIONS, MIGRATIONS.length).filter(({ type }) => type === 'table');
  expect(tables.map(({ name }) => `\`${name}\``).filter((name) => !named.includes(name))).toEqual([]);
});

it('the example of a row holds', () => {
  const { type, id, rev, salt, ...columns } = JSON.parse(line('row_json')) as EvidenceRow;
  expect(sha(Buffer.from([0]), line('row_json'))).toBe(line('row_digest'));
  const digested = [...Object.keys(digestedOf({ ...columns, project_id: null, creator: null })), 'depends_on'];
  expect(Object.keys(columns).toSorted()).toEqual(digested.toSorted());
  expect(subjectOf({ type, id, rev, salt, columns: { ...columns } })).toEqual({
    type,
    id,
    rev,
    digest: line('row_digest'),
  });
});

it('the example holds', () => {
  const salt = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
  expect(sha(salt, line('json'))).toBe(line('args_digest'));
  expect(sha(Buffer.from([0]), line('body'))).toBe(line('leaf'));
  const body = JSON.parse(line('body')) as Record<string, unknown>;
  expect(Object.keys(body)).toEqual(Object.keys(body).toSorted());
  expect([body.args_digest, body.args_bytes]).toEqual([line('args_digest'), line('json').length]);
});

/** A record of the section of rare records; each test reads the members that it compares. */
type Example = Readonly<Record<string, unknown>> & { readonly subjects: readonly { readonly digest: string }[] };

const rare = text.slice(text.indexOf('\n## Rare records'), text.indexOf('\n## What is not judged'));
const examples = [...rare.matchAll(/^([a-z.]+) +(\{.*\})$/gm)].map(([, name = '', json = '']) => ({ name, json }));
const example = (name: string, has = 'kind'): Example =>
  JSON.parse(examples.find((one) => one.name === name && one.json.includes(`"${has}":`))?.json ?? '{}') as Example;

it('the rare records are records, and every kind is among them', () => {
  for (const { name, json } of examples) {
    const body = JSON.parse(json) as Record<string, unknown>;
    expect([body.kind, isCanonical(json, body), readingFault(body)]).toEqual([name, true, undefined]);
  }
  expect([...new Set(examples.map(({ name }) => name))].toSorted()).toEqual(Object.keys(RECORDS).toSorted());
});

it('the digests in the rare records are those of the texts beside them', () => {
  const [enter, health] = [example('call.enter'), example('health')];
  const [argsSalt, textsSalt] = ['args_hex_salt', 'texts_hex_salt'].map((name) => Buffer.from(line(name), 'hex'));
  expect(enter.args_salt).toBe(sha(argsSalt ?? ''));
  expect(enter.args_digest).toBe(sha(argsSalt ?? '', line('args_json')));
  expect(health.texts_digest).toBe(sha(textsSalt ?? '', line('texts_json')));
  expect(example('boot', 'subjects').subjects[0]?.digest).toBe(sha(Buffer.from([0]), line('adoption_row')));
  expect(example('catalogue').subjects[0]?.digest).toBe(sha(Buffer.from([0]), line('catalogue_row')));
  expect(example('definition').subjects[0]?.digest).toBe(sha(Buffer.from([0]), line('definition_row')));
  expect(example('approval').subjects[0]?.digest).toBe(sha(Buffer.from([0]), line('approval_row')));
  expect(JSON.parse(line('definition_row')).id).toBe(sha(line('definition_json')));
});

it('the rotation among the rare records names the log that succeeds', () => {
  const [rotate, succeeds] = [example('rotate'), example('succeeds')];
  const [name, , key = ''] = String(rotate.successor).split('+');
  expect(name).toBe(`colibri.dev/log/${String(succeeds.log)}`);
  expect(sha(Buffer.from(key, 'base64').subarray(1)).slice(0, 32)).toBe(succeeds.log);
  expect([succeeds.previous, succeeds.size, succeeds.at]).toEqual([rotate.log, Number(rotate.seq) + 1, rotate.at]);
});

it('every column of the evidence tables is either digested, derived or a pointer', () => {
  const sql = MIGRATIONS.map((migration) => migration.sql).join('\n');
  const columnsOf = (table: string): string[] => {
    const body = new RegExp(`CREATE TABLE ${table} \\(([\\s\\S]*?)\\n\\);`).exec(sql)?.[1] ?? '';
    return [...body.matchAll(/^ {2}([a-z_]+) (?:TEXT|INTEGER)/gm)].map((found) => found[1] ?? '');
  };
  const rows = new Map(
    [...text.matchAll(/^\| `(task|lease|session)` \| .* \| .* \| (.*) \|$/gm)].map((row) => [row[1], row[2]]),
  );
  const own = { tasks: ['task', 'n'], leases: ['lease', 'task_n'], sessions: ['session', 'session_id'] } as const;
  for (const [table, [type, key]] of Object.entries(own)) {
    const digested = (rows.get(type) ?? '')
      .replace(/\([^)]*\)/g, '')
      .split(/, ?/)
      .map((name) => name.trim());
    const known = new Set([...digested, key, 'rev', 'salt', 'log_id', 'seq', ...derived]);
    expect(columnsOf(table).length).toBeGreaterThan(5);
    expect(columnsOf(table).filter((column) => !known.has(column))).toEqual([]);
  }
});

const derived = ['open_deps', 'leased', 'terminal', 'priority_rank', 'stage', 'search_text', 'flagged'];
