// All rows in the order of the table.
import { againstBuild } from './rounds.mjs';
import { allAliveRows } from './rows/all-alive.mjs';
import { crowdRows } from './rows/crowd.mjs';
import { garbageRows } from './rows/garbage.mjs';
import { durabilityRow, inFlightRow } from './rows/in-flight.mjs';
import { largeRows } from './rows/large.mjs';
import { latencyRows } from './rows/latency.mjs';
import { ledgerGrowthRows } from './rows/ledger-growth.mjs';
import { postgresRows } from './rows/postgres.mjs';
import { proxiedRows } from './rows/proxied.mjs';
import { redactionRow } from './rows/redaction.mjs';
import { reputationRow } from './rows/reputation.mjs';
import { memoryRow, startRow } from './rows/start.mjs';
import { switchboardRows } from './rows/switchboard.mjs';
import { taskCreateRow } from './rows/task-create.mjs';
import { taskGrowthRows } from './rows/task-growth.mjs';
import { verifyRow } from './rows/verify.mjs';
import { viewRow } from './rows/view.mjs';
import { taskStores } from './task-stores.mjs';

/** Rows whose servers are started for each round. @param {boolean} quick @returns {import('./rounds.mjs').Row[]} */
const freshRows = (quick) => [
  ...latencyRows(quick),
  inFlightRow(quick),
  durabilityRow(quick),
  startRow(quick),
  memoryRow(),
  taskCreateRow(quick),
  ...taskGrowthRows(taskStores({ small: 1_000, large: quick ? 20_000 : 1_000_000 }), quick),
  verifyRow(quick),
  ...ledgerGrowthRows(quick),
  reputationRow(quick),
  ...proxiedRows(quick),
  ...largeRows(quick),
  redactionRow(quick),
  viewRow(quick),
  ...switchboardRows(quick),
  ...crowdRows(4, quick),
  ...crowdRows(8, quick),
  ...garbageRows(quick),
  ...postgresRows(quick),
];

/** @param {boolean} quick @param {string} [against] the folder of another build: the reference of every row that has a server of ours */
export const allRows = (quick, against) => {
  const fresh = freshRows(quick);
  const compared = fresh.filter((row) => !row.isOneBuild).map((row) => againstBuild(row, against ?? ''));
  return [...(against === undefined ? fresh : compared), ...allAliveRows(quick, against)];
};
