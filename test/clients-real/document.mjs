// docs/clients.md: the part between the marks is the table of the last run. Clients that were absent keep their row.
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROGRAMS } from './programs/table.mjs';
import { cellsOf, HEAD } from './report.mjs';
import { CHECKS } from './scenarios.mjs';

const DOCUMENT = fileURLToPath(new URL('../../docs/clients.md', import.meta.url));
const [BEGIN, END] = ['<!-- generated: clients -->', '<!-- end: clients -->'];

const parts = (text) => {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  if (from < 0 || to < from) throw new Error(`docs/clients.md has no part between ${BEGIN} and ${END}`);
  return {
    before: text.slice(0, from + BEGIN.length),
    inside: text.slice(from + BEGIN.length, to),
    after: text.slice(to),
  };
};

const line = (cells) => `| ${cells.join(' | ')} |`;

const cells = (row) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of the document, by the client's title. Notes are told by their text, so that numbers can be given again. */
export const rowsIn = (text) => {
  const { inside } = parts(text);
  return inside
    .split('\n')
    .filter((row) => row.startsWith('| ') && !row.startsWith('| client') && !row.startsWith('| ---'))
    .map(cells);
};

const notesIn = (text) => [...parts(text).inside.matchAll(/^(\d+)\. (.*)$/gm)].map(([, , note]) => note);

/** A row of the document as a finding again. */
const foundIn = (text) => {
  const notes = notesIn(text);
  return rowsIn(text).map(([title, version, date, ...values]) => ({
    title,
    version,
    date,
    verdicts: Object.fromEntries(
      Object.keys(CHECKS).flatMap((name, at) => {
        const [, number] = /^no \((\d+)\)$/.exec(values[at] ?? '') ?? [];
        if (values[at] === 'yes') return [[name, { ok: true }]];
        if (number !== undefined) return [[name, { known: notes[Number(number) - 1] ?? '' }]];
        return values[at] === 'FAILED' ? [[name, { why: '' }]] : [];
      }),
    ),
  }));
};

/** The document with what was found; clients that were not tried keep what stands there. */
export const withTable = (text, found) => {
  const { before, after } = parts(text);
  const old = foundIn(text);
  const all = PROGRAMS.flatMap(({ title }) => {
    const one = found.find((row) => row.title === title && row.absent === undefined);
    return one ?? old.find((row) => row.title === title) ?? [];
  });
  const { rows, notes } = cellsOf(all);
  const table = [line(HEAD), line(HEAD.map(() => '---')), ...rows.map(line)].join('\n');
  const told = notes.map((note, at) => `${at + 1}. ${note}`).join('\n');
  const legend = Object.entries(CHECKS)
    .map(([name, sentence]) => `- **${name}**: ${sentence}`)
    .join('\n');
  return `${[before, table, '', ...(told === '' ? [] : [told, '']), legend].join('\n')}\n${after}`;
};

export const readDocument = () => fs.readFileSync(DOCUMENT, 'utf8');
export const writeDocument = (text) => fs.writeFileSync(DOCUMENT, text);
