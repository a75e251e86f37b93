// The part of docs/audit-format.md that lists the kinds of records and their members, as text.

const list = (words) => words.map((word) => `\`${word}\``).join(' ');

const membersText = (members, textOf) =>
  Object.entries(members)
    .map(([name, shape]) => `${name}: ${textOf(shape)}`)
    .join(', ');

/** Writes shapes in the words of the document; a part (a shape with a name) is written as its name. */
const writer = (parts) => {
  const whole = (shape) => {
    if (typeof shape === 'string') return shape;
    if ('oneOf' in shape) return list(shape.oneOf);
    if ('orNull' in shape) return `${textOf(shape.orNull)} or null`;
    if ('listOf' in shape) return `[${textOf(shape.listOf)}]`;
    if ('either' in shape) return shape.either.map(textOf).join(' or ');
    return `{${membersText(shape.members, textOf)}}`;
  };
  const textOf = (shape) => Object.keys(parts).find((name) => parts[name] === shape) ?? whole(shape);
  return { whole, textOf };
};

const renderRecords = ({ every, records, scalars, parts }) => {
  const { whole, textOf } = writer(parts);
  const rows = (table, cells) => Object.entries(table).map(cells).join('\n');
  return `
Every record has: ${membersText(every, textOf)}.

| kind | further members | what it says |
|---|---|---|
${rows(records, ([kind, { members, says }]) => `| \`${kind}\` | ${membersText(members, textOf)} | ${says} |`)}

| word | means |
|---|---|
${rows(scalars, ([word, means]) => `| ${word} | ${means} |`)}
${rows(parts, ([name, shape]) => `| ${name} | ${whole(shape)} |`)}
`;
};

const BEGIN =
  '<!-- Written by scripts/document-records.mjs from src/proof/records.ts: change that, then `npm run docs`. -->\n';
const END = '<!-- End of the written part. -->\n';

/** The document with its written part replaced. */
export const withRecords = (text, tables) => {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error('the document has no marks around its written part');
  return `${text.slice(0, from)}${BEGIN}${renderRecords(tables)}${text.slice(to)}`;
};
