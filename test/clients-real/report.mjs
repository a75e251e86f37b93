// What a run found, as rows of a table: for the screen and for docs/clients.md.
import { CHECKS } from './scenarios.mjs';

export const HEAD = ['client', 'version', 'tried on', ...Object.keys(CHECKS)];

/** Of one check: `yes`, `no`, `no` with a number that refers to a note, or a dash where it does not apply. */
const cellOf = (verdict, note) => {
  if (verdict === undefined) return '–';
  if (verdict.ok) return 'yes';
  return verdict.known === undefined ? 'FAILED' : `no (${note(verdict.known)})`;
};

/** Numbers texts in the order in which they come. */
const numbered = () => {
  const texts = [];
  const note = (text) => {
    if (!texts.includes(text)) texts.push(text);
    return texts.indexOf(text) + 1;
  };
  return { texts, note };
};

/** `{rows, notes}`: cells of the clients that were tried, and what the numbers in them mean. */
export const cellsOf = (found) => {
  const { texts, note } = numbered();
  const rows = found
    .filter(({ absent }) => absent === undefined)
    .map(({ title, version, date, verdicts }) => [
      title,
      version,
      date,
      ...Object.keys(CHECKS).map((name) => cellOf(verdicts[name], note)),
    ]);
  return { rows, notes: texts };
};

/** The checks that failed though the client is not known to differ. */
export const failuresOf = (found) =>
  found.flatMap(({ title, verdicts = {} }) =>
    Object.entries(verdicts)
      .filter(([, { ok, known }]) => !ok && known === undefined)
      .map(([name, { why }]) => ({ title, name, why })),
  );

const pad = (rows) => {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]))
      .join('  ')
      .trimEnd(),
  );
};

export const reportOf = (found) => {
  const { rows, notes } = cellsOf(found);
  const absent = found
    .filter((one) => one.absent !== undefined)
    .map(({ title, absent: why }) => `absent: ${title}: ${why}`);
  const failed = failuresOf(found).map(({ title, name, why }) => `FAILED: ${title}: ${name}: ${why}`);
  const told = notes.map((text, at) => `(${at + 1}) ${text}`);
  return `${[...pad([HEAD, ...rows]), ...told, ...absent, ...failed].join('\n')}\n`;
};
