// What the committed figures say of a store on PostgreSQL, as a part of docs/postgres.md.
import { figure } from '../table.mjs';

const BEGIN = '<!-- Written by `npm run bench -- --commit` from bench/committed.json. -->\n';
const END = '<!-- End of the figures. -->\n';

/** @typedef {import('../committed.mjs').Committed} Committed */

/** The figures of a row; undefined if it was not measured. @param {Committed} committed @param {string} id */
const rowOf = ({ rows }, id) => {
  const row = rows.find((one) => one.id === `postgres-${id}`);
  return row?.ours && row.reference && row.ratio
    ? { ...row, ours: row.ours, reference: row.reference, ratio: row.ratio }
    : undefined;
};

/** @param {Committed} committed @param {string} machines */
const machinesLine = (committed, machines) => {
  const row = rowOf(committed, machines);
  if (row === undefined) return `| ${machines} | not measured | |`;
  const times = machines === '1' ? '1' : row.ratio.median.toFixed(2);
  return `| ${machines} | ${figure(row.ours.median)} | ${times} |`;
};

/** A sentence for each row that was measured. @type {Readonly<Record<string, (row: NonNullable<ReturnType<typeof rowOf>>) => string>>} */
const SENTENCES = {
  statements: ({ ratio }) =>
    `The server counts ${ratio.median.toFixed(2)} statements for each recorded call: one round trip.`,
  ping: ({ ours, ratio }) =>
    `Such a call takes ${figure(ours.median / 1_000)} ms (p50), ${ratio.median.toFixed(1)} times as long as on a file.`,
  'one-log': ({ ours, ratio }) =>
    `Four processes of one machine, which share its log, make ${figure(ours.median)} calls/s together: ${ratio.median.toFixed(2)} of what four machines make.`,
  waits: ({ ours, reference }) =>
    `Sessions of four machines were seen waiting for a lock ${ours.median} times; those of the four processes, ${reference.median} times.`,
  claim: ({ ours, ratio }) =>
    `A claim among 1,000,000 tasks takes ${figure(ours.median / 1_000)} ms (p50), ${ratio.median.toFixed(2)} times as long as among 1,000.`,
};

/** @param {Committed} committed */
const figuresOf = (committed) => {
  const one = rowOf(committed, '1');
  if (one === undefined) return 'Not measured yet.\n';
  const { cores, cpu } = committed.machine;
  const { date, rounds, load } = one.apart ?? { ...committed, load: committed.machine.load };
  const sentences = Object.entries(SENTENCES).flatMap(([id, say]) => {
    const row = rowOf(committed, id);
    return row === undefined ? [] : [`- ${say(row)}`];
  });
  return `Measured ${date}, ${rounds} rounds, on ${cores} cores (${cpu}) that the server, all machines and their clients shared; load average ${load[0]} before, ${load[1]} after.

| machines | recorded calls/s together | ÷ one machine |
|---|---|---|
${['1', '2', '4', '8'].map((machines) => machinesLine(committed, machines)).join('\n')}

${sentences.join('\n')}
`;
};

/** The page with the figures in the place of those that it has. @param {string} text @param {Committed} committed */
export const withPostgresFigures = (text, committed) => {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error('docs/postgres.md has no place for the figures');
  return `${text.slice(0, from)}${BEGIN}\n${figuresOf(committed)}\n${text.slice(to)}`;
};
