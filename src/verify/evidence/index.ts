// Lists the checks of evidence rows (tasks, sessions, thoughts …) against the records that made them. Every check reads a row, its
// neighbours by an index and the record that the row points to, in the caller's read transaction.
import { APPROVALS } from './approvals.js';
import { CATALOGUE } from './catalogue.js';
import { definitionRows } from './definitions.js';
import { erasures } from './erasures.js';
import { REPLAYS } from './replays.js';
import { REPUTATION } from './reputation.js';
import { ROUNDS } from './rounds.js';
import { SESSIONS } from './sessions.js';
import { ADOPTIONS, DEPENDENCIES, LEASES, TASKS } from './tasks.js';
import { thoughts } from './thoughts.js';
import { HEARD, VOTE_ROWS, VOTERS } from './votes.js';
import { type EvidenceCheck, walkOver } from './walk.js';

export { namesApprovals } from './approvals.js';
export { evidenceLogs, expirationsFrom } from './evidence-repository.js';
export { checkHistory, expiredIn, expiredKey } from './histories.js';
export { orderOf, type Sightings } from './order.js';
export { concernsRows, traceRecord } from './record-traces.js';
export { saidEvents } from './reputation.js';
export { checkSession, type SessionReport, sessionsOfTask } from './session.js';
export { checkSubjects } from './subjects.js';
export { checkTaskRows } from './task.js';
export { TraceList } from './trace.js';
export type { Batch, EvidenceCheck, Key } from './walk.js';

/** The checks, one for each evidence table. No result depends on the clock of the verifying machine. */
export const evidenceChecks = (): readonly EvidenceCheck[] =>
  [
    ...[TASKS, ADOPTIONS, DEPENDENCIES, LEASES, REPLAYS, SESSIONS, thoughts(erasures('thought')), CATALOGUE],
    ...[definitionRows(erasures('definition')), REPUTATION, APPROVALS],
    ...[ROUNDS, VOTE_ROWS, VOTERS, HEARD],
  ].map(walkOver);
