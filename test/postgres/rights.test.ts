// The rights in docs/postgres.md, and those that doctor looks for, are those that the program's SQL needs, and no more: found by reading all.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROLE_RIGHTS } from '../../src/store/postgres/rights.js';

const SRC = new URL('../../src/', import.meta.url);
const DOC = readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');

/** Whose work the SQL of a file is, if not that of a serving process. */
const BY_OTHERS: Readonly<Record<string, 'keeper' | 'owner'>> = {
  'ledger/erase.ts': 'keeper',
  'ledger/prune.ts': 'keeper',
  'ledger/identity.ts': 'owner', // a store that is moved, and not yet complete, has no id
};
const OTHER_ENGINES_AND_SCHEMAS = /^store\/|\.test\.ts$/;

type Right = 'UPDATE' | 'DELETE';
const STATEMENTS: readonly (readonly [Right, RegExp])[] = [
  ['UPDATE', /\bUPDATE ([a-z_]+) SET\b/g],
  ['UPDATE', /\bINSERT INTO ([a-z_]+)[^;`']*?\bDO UPDATE\b/g],
  ['UPDATE', /\bFROM ([a-z_]+)\b[^;`']*?\$\{(?:FOR_UPDATE|CLAIM_LOCKS)/g],
  ['DELETE', /\bDELETE FROM ([a-z_]+)/g],
];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !OTHER_ENGINES_AND_SCHEMAS.test(file),
);

const needed = (role: 'app' | 'keeper' | 'owner', right: Right): string[] => {
  const tables = files
    .filter((file) => (BY_OTHERS[file] ?? 'app') === role)
    .flatMap((file) => {
      const text = readFileSync(new URL(file, SRC), 'utf8');
      return STATEMENTS.filter(([what]) => what === right).flatMap(([, form]) =>
        [...text.matchAll(form)].map((found) => found[1] ?? ''),
      );
    });
  return [...new Set(tables)].sort();
};

const granted = (role: string, right: Right): string[] =>
  [...DOC.matchAll(new RegExp(`^GRANT ${right} ON (.+) TO colibri_${role};$`, 'gm'))]
    .flatMap((grant) => (grant[1] ?? '').split(', '))
    .sort();

test.each(['app', 'keeper'] as const)('the role %s may update and delete what its SQL does', (role) => {
  for (const right of ['UPDATE', 'DELETE'] as const) {
    expect(granted(role, right), right).toEqual(needed(role, right));
    expect([...ROLE_RIGHTS[role][right]].sort(), right).toEqual(needed(role, right));
  }
});

test('the SQL is found: rows that prove something are changed by the keeper alone', () => {
  expect(needed('app', 'UPDATE')).toEqual(expect.arrayContaining(['logs', 'tasks', 'leases', 'sessions', 'catalogue']));
  const sealed = ['actions', 'tiles', 'checkpoints', 'payloads', 'thoughts'];
  for (const right of ['UPDATE', 'DELETE'] as const)
    expect(needed('app', right).filter((table) => sealed.includes(table))).toEqual([]);
  expect(needed('owner', 'DELETE')).toEqual(['identity']);
});
