// The part of docs/audit-format.md that shows the database schema, as text.
import { createHash } from 'node:crypto';

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** The rows of one type that have SQL of their own, in the order of the schema. */
const sqlOf = (rows, type) => rows.filter((row) => row.type === type && row.sql !== null).map(({ sql }) => `${sql};`);

/** SQLite makes these tables itself, and refuses to have them created. */
const isEngines = (sql) => sql.startsWith('CREATE TABLE sqlite_');

const renderSchema = ({ version, applicationId, rows, checksums }) => {
  const own = rows.filter(({ sql }) => sql === null).map(({ name }) => `\`${name}\``);
  const list = rows.map(({ type, name, tbl_name, sql }) => [type, name, tbl_name, sql]);
  const [tables, indexes] = [sqlOf(rows, 'table').filter((sql) => !isEngines(sql)), sqlOf(rows, 'index')];
  return `
\`PRAGMA application_id\` is ${applicationId} (0x${applicationId.toString(16)}, "Coli"), \`PRAGMA user_version\` is ${version}.

\`\`\`sql
${tables.join('\n\n')}

${indexes.join('\n')}
\`\`\`

SQLite adds \`sqlite_sequence\` and the indexes ${own.join(', ')}.
The SHA-256 of the JCS text of the list of \`[type, name, tbl_name, sql]\` of all rows of \`sqlite_schema\`, in the order of type and name, is
\`${sha256(JSON.stringify(list))}\`.

| \`to\` of a \`migrate\` record | its \`checksum\` |
|---|---|
${checksums.map((checksum, i) => `| ${i + 1} | \`${checksum}\` |`).join('\n')}

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
