// Takes back the assignees that claims had set. Before format 6 a claim made its holder the task's assignee; now the assignee says who
// should do a task, and a claim leaves it alone. Runs once, in the transaction of the migration; a record names every task that it changes.
import { Evidence } from '../../ledger/evidence.js';
import { append } from '../../ledger/ledger.js';
import { LEDGER_LIMITS } from '../../ledger/limits.js';
import type { Convert } from '../../ledger/open.js';
import { dependenciesOf } from './dependency-repository.js';
import { claimedRows, saveTask } from './repository.js';

/** The version of the schema from which on a claim leaves the assignee alone. */
const CLAIMS_FORMAT = 6;

export const convertTasks: Convert = async (tx, log, at, steps) => {
  if (!steps.some(({ to }) => to === CLAIMS_FORMAT)) return;
  let after = 0;
  for (;;) {
    const rows = await claimedRows(tx, after, LEDGER_LIMITS.tasksPerRecord);
    const evidence = new Evidence(tx, log);
    for (const row of rows) {
      const freed = { ...row, assignee: null, version: row.version + 1 };
      await saveTask({ tx, evidence }, freed, await dependenciesOf(tx, row.n));
    }
    if (rows.length === 0) return;
    await append(tx, log, [{ at, record: { kind: 'unassign', subjects: evidence.subjects } }]);
    after = rows.at(-1)?.n ?? after;
  }
};
