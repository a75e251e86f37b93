// Checks evidence rows against the records that made them, in both directions. Every check is local: it reads a row, its
// neighbours by an index and the record it points to, in the caller's snapshot.
import { CATALOGUE } from './catalogue.js';
import { erasures } from './erasures.js';
import { SESSIONS } from './sessions.js';
import { ADOPTIONS, DEPENDENCIES, LEASES, TASKS } from './tasks.js';
import { thoughts } from './thoughts.js';
import { type EvidenceCheck, walkOver } from './walk.js';

export { checkSession, type SessionReport, sessionsOfTask } from './session.js';
export { checkSubjects } from './subjects.js';
export type { Batch, EvidenceCheck, Key } from './walk.js';

/** One walk for each table. No result depends on the verifier's clock. */
export const evidenceChecks = (): readonly EvidenceCheck[] =>
  [TASKS, ADOPTIONS, DEPENDENCIES, LEASES, SESSIONS, thoughts(erasures()), CATALOGUE].map(walkOver);
