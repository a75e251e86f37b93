// The part of docs/audit-format.md that shows the database schema, as text.
import { createHash } from 'node:crypto';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** The rows of one type that have SQL of their own, in the order of the schema. */
const sqlOf = (rows, type) => rows.filter((row) => row.type === type && row.sql !== null).map(({ sql }) => `${sql};`);

/** SQLite makes these tables itself, and refuses to have them created. */
const isEngines = (sql) => sql.startsWith('CREATE TABLE sqlite_');

const digestOf = (rows) =>
  sha256(JSON.stringify(rows.map(({ type, name, tbl_name, sql }) => [type, name, tbl_name, sql])));

/** The text for the schemas of all versions and the SQL of each migration, the first version first. The last schema is shown. */
const renderSchema = ({ applicationId, schemas, migrations }) => {
  const rows = schemas.at(-1);
  const own = rows.filter(({ sql }) => sql === null).map(({ name }) => `\`${name}\``);
  const [tables, indexes] = [sqlOf(rows, 'table').filter((sql) => !isEngines(sql)), sqlOf(rows, 'index')];
  return `
\`PRAGMA application_id\` is ${applicationId} (0x${applicationId.toString(16)}, "Coli"), \`PRAGMA user_version\` is ${schemas.length}.

\`\`\`sql
${tables.join('\n\n')}

${indexes.join('\n')}
\`\`\`

SQLite adds \`sqlite_sequence\` and the indexes ${own.join(', ')}.
The digest of a schema is the SHA-256 of the JCS text of the list of \`[type, name, tbl_name, sql]\` of the rows of \`sqlite_schema\`, ordered by type and name
(compared as bytes), without \`sqlite_stat1\` and \`sqlite_stat4\`:

| \`user_version\` | digest of its schema | checksum in the \`migrate\` record to it |
|---|---|---|
${schemas.map((schema, i) => `| ${i + 1} | \`${digestOf(schema)}\` | \`${sha256(migrations[i])}\` |`).join('\n')}

`;
};

const BEGIN =
  '<!-- Written by scripts/document-schema.mjs from src/store/sqlite/migrations: change those, then `npm run docs`. -->\n';
const END = '<!-- End of the schema. -->\n';

/** The document with its schema replaced. */
export const withSchema = (text, schema) => {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error('the document has no marks around its schema');
  return `${text.slice(0, from)}${BEGIN}${renderSchema(schema)}${text.slice(to)}`;
};
