// One table on stdout. Column widths come from what is in them.

/** @param {number} value */
export const figure = (value) => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));

/** @param {boolean | undefined} met */
const verdict = (met) => (met === undefined ? '–' : met ? 'yes' : 'NO');

export const HEAD = ['row', 'ours', 'reference', 'ratio', 'spread', 'goal', 'met'];

/**
 * @typedef {object} Measured
 * @property {import('./committed.mjs').Spread} ours
 * @property {import('./committed.mjs').Spread} reference
 * @property {import('./committed.mjs').Spread} ratio
 * @property {boolean | undefined} [met]
 */

/**
 * The cells of a row after its name.
 * @param {Pick<import('./rounds.mjs').Row, 'unit' | 'judged' | 'better'>} row
 * @param {{ goal?: number | undefined, measured?: Measured | undefined, unmeasured?: string | undefined }} what
 */
export const cells = ({ unit, judged, better }, { goal, measured, unmeasured }) => {
  const inUnit = judged === 'ours' ? ` ${unit}` : '';
  const limit = goal === undefined ? '–' : `${better === '<=' ? '≤' : '≥'} ${goal}${inUnit}`;
  if (measured === undefined) return [unmeasured ?? '', '', '', '', limit, verdict(undefined)];
  const { ours, reference, ratio, met } = measured;
  return [
    `${figure(ours.median)} ${unit}`,
    `${figure(reference.median)} ${unit}`,
    ratio.median.toFixed(2),
    judged === 'ours'
      ? `${figure(ours.min)}–${figure(ours.max)} ${unit}`
      : `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    limit,
    verdict(met),
  ];
};

/** @param {readonly import('./measure.mjs').Report[]} reports */
export const table = (reports) => {
  const rows = [
    HEAD,
    ...reports.map(({ row, goal, summary, unmeasured }) => [
      row.name,
      ...cells(row, { goal, measured: summary, unmeasured }),
    ]),
  ];
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
