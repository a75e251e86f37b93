// Writes the database schema into docs/audit-format.md, from the built migrations. Run by `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { APPLICATION_ID } from '../build/store/sqlite/file.js';
import { MIGRATIONS } from '../build/store/sqlite/migrations/index.js';
import { schemaOf } from '../build/store/sqlite/schema.js';
import { withSchema } from './schema-doc/render.mjs';

const at = new URL('../docs/audit-format.md', import.meta.url);
writeFileSync(
  at,
  withSchema(readFileSync(at, 'utf8'), {
    applicationId: APPLICATION_ID,
    schemas: MIGRATIONS.map(({ version }) => schemaOf(MIGRATIONS, version)),
    migrations: MIGRATIONS.map(({ sql }) => sql),
  }),
);
