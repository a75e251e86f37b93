// The shapes that several kinds of records share (docs/audit-format.md).
import { CREDIT_LIST } from './credits.js';
import { listing, type MembersOf, objectOf, oneOf, type ShapeValue } from './shape.js';

/**
 * The members that every record may have. Only the first record of a log has `store`; only the first record of format 5 in an older log
 * has `adopted`.
 */
export const EVERY_RECORD = {
  v: 'count',
  log: 'hex32',
  seq: 'count',
  kind: 'text',
  at: 'time',
  'store?': 'hex32',
  'adopted?': 'count',
} as const;

/** The members of every record that its writer may choose; the others follow from the record's position in the log. */
type Chosen = MembersOf<Pick<typeof EVERY_RECORD, 'store?' | 'adopted?'>>;

/** The type of the records of one kind, as they are handed to the writer. */
export type RecordWith<Kind extends string, M> = { readonly kind: Kind } & Chosen & MembersOf<M>;

/** An evidence row (task, session, …) that a write inserted or changed, with its revision and digest. */
export const SUBJECT = objectOf({
  type: oneOf(
    ...(['task', 'lease', 'session', 'thought', 'catalogue', 'adoption', 'replay', 'definition', 'approval'] as const),
    ...(['round', 'vote', 'voter', 'heard'] as const),
  ),
  id: 'text',
  rev: 'count',
  digest: 'digest',
});
export type Subject = ShapeValue<typeof SUBJECT>;

export const SUBJECTS = listing(SUBJECT);

/** A log as it was at some time: its id, its number of records (`size`) and the Merkle root over these records. */
export const LOG_STANDING = objectOf({ log: 'hex32', size: 'count', root: 'digest' });
export type LogStanding = ShapeValue<typeof LOG_STANDING>;

export const CLIENT = objectOf({ name: 'text', version: 'text', protocol: 'text' });
export type ClientIdentity = ShapeValue<typeof CLIENT>;

/** What the client says about the conversation that a call belongs to. */
export const HOST = objectOf({ 'conversation?': 'text', 'turn?': 'text', 'model?': 'text', 'agent?': 'text' });
export type HostIdentity = ShapeValue<typeof HOST>;

const CHANGED = {
  task_id: 'text',
  from: 'text',
  to: 'text',
  version: 'count',
  attempt: 'count',
  // The id of the thought that gives the reason for the transition.
  'because?': 'text',
} as const;

/** A transition of a task, as records from before format 5 have it. */
export const CHANGE = objectOf(CHANGED);

/** One transition of a task. If the task entered DONE, `thought` is the id of a thought that was recorded in this attempt at the task. */
export const STEP = objectOf({ ...CHANGED, 'thought?': 'text' });
export type TaskTransition = ShapeValue<typeof STEP>;

/** A lease of a task that had run out, with the revision that the lease had then. */
const EXPIRED = objectOf({ task_id: 'text', rev: 'count' });
export type ExpiredLease = ShapeValue<typeof EXPIRED>;

/** What a tool's handler adds to the outcome record of its call. */
export const NOTES = {
  'subjects?': SUBJECTS,
  'changes?': listing(STEP),
  'change?': CHANGE,
  // If a task entered APPLY: the tasks that it depends on, all of which were DONE, with their versions.
  'done?': listing(objectOf({ task_id: 'text', version: 'count' })),
  // Leases that had run out when the call was handled.
  'expired?': listing(EXPIRED),
  // The number of the task's attempt to which a thought of this call belongs.
  'attempt?': 'count',
  'replay_of?': 'count',
  // Who earned something by this call, for reputation.
  'credits?': CREDIT_LIST,
} as const;
