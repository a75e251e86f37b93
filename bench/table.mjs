// One table on stdout. Column widths come from what is in them.

/** @param {number} value */
const figure = (value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));

/** @param {boolean | undefined} met */
const verdict = (met) => (met === undefined ? '–' : met ? 'yes' : 'NO');

/** @param {'<=' | '>='} better @param {number | undefined} goal */
const limit = (better, goal) => (goal === undefined ? '–' : `${better === '<=' ? '≤' : '≥'} ${goal}`);

const HEAD = ['row', 'ours', 'reference', 'ratio', 'spread', 'goal now', 'met', 'goal design', 'met'];

/** @param {import('./run.mjs').Report} report */
const cells = ({ row, summary, unmeasured }) => {
  const { goals, better, name, unit, judged } = row;
  const goalCells = (/** @type {{ now?: boolean, design?: boolean }} */ met) => [
    limit(better, goals.now),
    verdict(met.now),
    `${limit(better, goals.design)}${judged === 'ours' ? ` ${unit}` : ''}`,
    verdict(met.design),
  ];
  if (summary === undefined) return [name, unmeasured ?? '', '', '', '', ...goalCells({})];
  const { ours, reference, ratio, met } = summary;
  const spread = judged === 'ours' ? ours : ratio;
  return [
    name,
    `${figure(ours.median)} ${unit}`,
    `${figure(reference.median)} ${unit}`,
    ratio.median.toFixed(2),
    judged === 'ours'
      ? `${figure(spread.min)}–${figure(spread.max)} ${unit}`
      : `${spread.min.toFixed(2)}–${spread.max.toFixed(2)}`,
    ...goalCells(met),
  ];
};

/** @param {readonly import('./run.mjs').Report[]} reports */
export const table = (reports) => {
  const rows = [HEAD, ...reports.map(cells)];
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  const notes = reports.flatMap(({ row, summary }) => (summary?.notes ?? []).map((note) => `note, ${row.id}: ${note}`));
  const [head = HEAD, ...body] = rows;
  return [line(head), rule, ...body.map(line), ...notes].join('\n');
};
