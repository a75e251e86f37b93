// A run as people read it.
import { plain } from '../build/cli/screen/print.js';
import { tableLines } from '../build/cli/screen/table.js';
import { columnsOf, fitted, screenWidth } from '../build/cli/screen/width.js';

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

/** Of the server that was disturbed. @type {readonly import('../build/cli/screen/table.js').Column[]} */
const SERVER_COLUMNS = [
  { title: 'kind' },
  { title: 'server', least: 10 },
  { title: 'detected', right: true },
  { title: 'by', least: 12, borrows: true },
  { title: 'out', right: true },
  { title: 'recovered', right: true },
  { title: 'longest call', right: true },
];

/** @param {Row} row */
const serverCells = (row) => [
  row.id,
  plain(row.server),
  time(row.detectionMs),
  row.detectedBy ?? '–',
  time(row.outMs),
  time(row.recoveryMs),
  time(row.longestCallMs),
];

/** Of everybody else, and what must not be. @type {readonly import('../build/cli/screen/table.js').Column[]} */
const OTHERS_COLUMNS = [
  { title: 'kind' },
  { title: 'others before', right: true },
  { title: 'others meanwhile', right: true },
  { title: 'hung', right: true },
  { title: 'ineligible', right: true },
  { title: 'twice', right: true },
  { title: '' },
];

/** @param {Row} row */
const othersCells = (row) => [
  row.id,
  both(row.others.before),
  both(row.others.meanwhile),
  ...[row.hung, row.ineligible, row.twice].map(number),
  row.faults.length === 0 ? 'held' : 'BROKEN',
];

/** One table with all of it would be wider than a terminal. @param {readonly Row[]} rows */
const tables = (rows) => [
  ...tableLines(SERVER_COLUMNS, rows.map(serverCells), screenWidth()),
  '',
  ...tableLines(OTHERS_COLUMNS, rows.map(othersCells), screenWidth()),
];

/** @param {import('./run.mjs').Report} report */
export const reportText = ({ ok, times, rows, skipped, totals, verify, replay, left, exit, faults }) => {
  const width = columnsOf(process.stdout);
  return [
    `times are scaled: ${times}`,
    'detected: until a caller was told or a state other than HEALTHY; out: until it got no calls; recovered: from the end of the disturbance until HEALTHY and a call answered; others: p50 / worst of calls to all other servers',
    '',
    ...tables(rows),
    '',
    ...skipped.map(({ server, state, detail }) => `not disturbed: ${plain(server)}, ${state} ${plain(detail ?? '')}`),
    `${totals.calls} calls to ${totals.servers} servers: ${totals.hung} hung, ${totals.ineligible} reached a server that may get none, ${totals.twice} effects happened twice`,
    `colibri ended with ${exit.signal ?? exit.code}, ${left.length} processes left`,
    `colibri verify: exit ${verify.code}${verify.code === 0 ? '' : `\n${verify.text}`}`,
    `colibri switchboard replay: exit ${replay.code}, ${replay.text}`,
    ...faults.map((fault) => `BROKEN  ${plain(fault)}`),
    ok ? 'everything held' : 'not everything held',
  ]
    .flatMap((line) => line.split('\n'))
    .flatMap((line) => (width === undefined ? [line] : fitted(line, width)))
    .join('\n');
};
