// A run as people read it.
import { plain } from '../dist/cli/print.js';

/** @typedef {import('./row.mjs').Row} Row */

/** @param {number | null} ms */
const time = (ms) => {
  if (ms === null) return '–';
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
};

/** @param {number | null} count */
const number = (count) => (count === null ? '–' : String(count));

/** @param {{ p50Ms: number | null, worstMs: number | null }} seen */
const both = ({ p50Ms, worstMs }) =>
  p50Ms === null || worstMs === null ? '–' : `${p50Ms.toFixed(1)} / ${worstMs.toFixed(0)} ms`;

const HEAD = [
  'kind',
  'server',
  'detected',
  'by',
  'out',
  'recovered',
  'longest call',
  'others before',
  'others meanwhile',
  'hung',
  'ineligible',
  'twice',
  '',
];

/** @param {Row} row */
const cells = (row) => [
  row.id,
  plain(row.server),
  time(row.detectionMs),
  row.detectedBy ?? '–',
  time(row.outMs),
  time(row.recoveryMs),
  time(row.longestCallMs),
  both(row.others.before),
  both(row.others.meanwhile),
  ...[row.hung, row.ineligible, row.twice].map(number),
  row.faults.length === 0 ? 'held' : 'BROKEN',
];

/** @param {readonly (readonly string[])[]} rows */
const aligned = (rows) => {
  const widths = HEAD.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** @param {import('./run.mjs').Report} report */
export const reportText = ({ ok, times, rows, skipped, totals, verify, replay, left, exit, faults }) => {
  const [head = '', ...lines] = aligned([HEAD, ...rows.map(cells)]);
  return [
    `times are scaled: ${times}`,
    'detected: until a caller was told or a state other than HEALTHY; out: until it got no calls; recovered: from the end of the',
    'disturbance until HEALTHY and a call answered; others: p50 / worst of calls to all other servers',
    '',
    head,
    '─'.repeat(Math.max(head.length, ...lines.map((line) => line.length))),
    ...lines,
    '',
    ...skipped.map(({ server, state, detail }) => `not disturbed: ${plain(server)}, ${state} ${plain(detail ?? '')}`),
    `${totals.calls} calls to ${totals.servers} servers: ${totals.hung} hung, ${totals.ineligible} reached a server that may get none, ${totals.twice} effects happened twice`,
    `colibri ended with ${exit.signal ?? exit.code}, ${left.length} processes left`,
    `colibri verify: exit ${verify.code}${verify.code === 0 ? '' : `\n${verify.text}`}`,
    `colibri switchboard replay: exit ${replay.code}, ${replay.text}`,
    ...faults.map((fault) => `BROKEN  ${plain(fault)}`),
    ok ? 'everything held' : 'not everything held',
  ].join('\n');
};
