// The list of the objects that the migrations make on PostgreSQL is what a server of this version says of a new store.
import { expect, it } from 'vitest';
import { noPostgres } from '../../../test/support/postgres.js';
import { emptyStore } from '../../../test/support/postgres-copy.js';
import { openReader } from '../reading.js';
import { POSTGRES_CATALOGUE } from './postgres-catalogue.js';
import { catalogueOf } from './postgres-repository.js';
import { lineOf } from './postgres-schema.js';

const HEAD = `// The objects that Colibri's migrations make on PostgreSQL, each as one line: type, name, table, and its definition as the server writes it.
// postgres-catalogue.deep.test.ts compares the list with a new database and, with the option -u of vitest, writes it anew.
export const POSTGRES_CATALOGUE: readonly string[] = [`;

const quoted = (line: string): string => (line.includes("'") ? JSON.stringify(line) : `'${line}'`);

it.skipIf(noPostgres())('the catalogue of a new store is the one that verify expects', async () => {
  const { url, drop } = await emptyStore();
  const reader = openReader({ path: 'test', url });
  try {
    const lines = reader.snapshot(catalogueOf).map(lineOf);
    const text = [HEAD, ...lines.map((line) => `  ${quoted(line)},`), '];', ''].join('\n');
    await expect(text).toMatchFileSnapshot('postgres-catalogue.ts');
    expect(POSTGRES_CATALOGUE).toEqual(lines);
  } finally {
    reader.close();
    await drop();
  }
});
