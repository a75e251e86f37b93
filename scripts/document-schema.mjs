// Writes the database schema into docs/audit-format.md, from the built migrations. Run by `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { APPLICATION_ID } from '../dist/store/sqlite/file.js';
import { checksumOf } from '../dist/store/sqlite/migrate.js';
import { MIGRATIONS } from '../dist/store/sqlite/migrations/index.js';
import { schemaOf } from '../dist/store/sqlite/schema.js';
import { withSchema } from './schema-doc/render.mjs';

const at = new URL('../docs/audit-format.md', import.meta.url);
const version = MIGRATIONS.length;
writeFileSync(
  at,
  withSchema(readFileSync(at, 'utf8'), {
    version,
    applicationId: APPLICATION_ID,
    rows: schemaOf(MIGRATIONS, version),
    checksums: MIGRATIONS.map(checksumOf),
  }),
);
