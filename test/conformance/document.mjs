// docs/conformance.md: reads the reasons out of its table of differences, and writes the generated parts.
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';

export const DOCUMENT = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));

const marks = (part) => [`<!-- generated: ${part} -->`, `<!-- end: ${part} -->`];

const between = (text, part) => {
  const [begin, end] = marks(part);
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/conformance.md has no part between ${begin} and ${end}`);
  return {
    before: text.slice(0, from + begin.length),
    inside: text.slice(from + begin.length, to),
    after: text.slice(to),
  };
};

const cells = (row) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const words = (cell) => cell.split(' ').filter(Boolean);

/** The generated parts of the document, by side. */
const PARTS = {
  server: { results: 'results', differences: 'differences' },
  client: { results: 'client results', differences: 'client differences' },
};

/** The listed differences, one for each leg: `{revision, leg, scenario, checks, reason}`. */
export const listedIn = (text, side = 'server') =>
  between(text, PARTS[side].differences)
    .inside.split('\n')
    .filter((row) => /^\| \d{4}/.test(row))
    .map(cells)
    .flatMap(([revision, scenario, legs = '', checks = '', reason = '']) =>
      words(legs).map((leg) => ({ revision, leg, scenario, checks: words(checks), reason })),
    );

/** The reason that stands beside this difference; undefined unless it was given for every check of it. */
export const reasonFor = ({ revision, leg, scenario, checks }, listed) => {
  const row = listed.find((one) => one.revision === revision && one.leg === leg && one.scenario === scenario);
  return row?.reason && checks.every((id) => row.checks.includes(id)) ? row.reason : undefined;
};

const line = (...values) => `| ${values.join(' | ')} |`;
const table = (head, rows) => [line(...head), line(...head.map(() => '---')), ...rows].join('\n');

/** Legs that differ alike share a row. */
const differenceTable = (differences, listed) => {
  const rows = new Map();
  for (const { leg, ...one } of differences) {
    const { revision, scenario, checks } = one;
    const reason = reasonFor({ leg, ...one }, listed) ?? '';
    const key = [revision, scenario, checks.join(' '), reason].join('|');
    rows.set(key, { revision, scenario, checks, reason, legs: [...(rows.get(key)?.legs ?? []), leg] });
  }
  const lines = [...rows.values()].map(({ revision, scenario, legs, checks, reason }) =>
    line(revision, scenario, legs.join(' '), checks.join(' '), reason),
  );
  return lines.length === 0 ? 'None.' : table(['revision', 'scenario', 'legs', 'checks', 'reason'], lines);
};

const put = (text, part, content) => {
  const { before, after } = between(text, part);
  return `${before}\n${content}\n${after}`;
};

/** The document as it should be after this run; reasons of differences that are still there are kept. */
export const documentOf = (text, { summary, differences }, side = 'server') => {
  const { head, rows } = summary;
  const lines = rows.map((row) => line(...row));
  const counted = put(text, PARTS[side].results, table(head, lines));
  return put(counted, PARTS[side].differences, differenceTable(differences, listedIn(text, side)));
};

export const readDocument = () => fs.readFileSync(DOCUMENT, 'utf8');
export const writeDocument = (text) => fs.writeFileSync(DOCUMENT, text);
