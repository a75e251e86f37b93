// Evidence rows against the records that made them, both ways. Every check is local: a row, its neighbours by an index,
// the record it points to, all in the snapshot the caller holds.
import { CATALOGUE } from './catalogue.js';
import { erasures } from './erasures.js';
import { SESSIONS } from './sessions.js';
import { ADOPTIONS, DEPENDENCIES, LEASES, TASKS } from './tasks.js';
import { thoughts } from './thoughts.js';
import { type EvidenceCheck, walkOver } from './walk.js';

export { checkSession, type SessionReport, sessionsOfTask } from './session.js';
export { checkSubjects } from './subjects.js';
export type { Batch, EvidenceCheck, Key } from './walk.js';

/** One walk per table. No verdict depends on the clock of whoever asks. */
export const evidenceChecks = (): readonly EvidenceCheck[] =>
  [TASKS, ADOPTIONS, DEPENDENCIES, LEASES, SESSIONS, thoughts(erasures()), CATALOGUE].map(walkOver);
