// Writes the table of the kinds of records into docs/audit-format.md, from the built src/proof/records.ts. Run by `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { EVERY_RECORD } from '../build/proof/record-parts.js';
import { PARTS, RECORDS } from '../build/proof/records.js';
import { SCALARS } from '../build/proof/shape.js';
import { withRecords } from './records-doc/render.mjs';

const at = new URL('../docs/audit-format.md', import.meta.url);
writeFileSync(
  at,
  withRecords(readFileSync(at, 'utf8'), { every: EVERY_RECORD, records: RECORDS, scalars: SCALARS, parts: PARTS }),
);
