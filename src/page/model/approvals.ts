// What people were asked before a call was made, and what they answered, from the records of it.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { CallEntry } from './calls.js';
import { objectIn, objectsIn, textIn } from './read.js';

/** The records of the approvals that a call asked for or used up, oldest first. */
export const approvalsOf = ({ call, exit }: CallEntry, events: readonly JsonObject[]): readonly JsonObject[] => {
  const approvals = events.filter(({ kind }) => kind === 'approval');
  const ids = new Set([
    ...approvals.filter((record) => record.call === call).map(({ approval_id }) => textIn(approval_id)),
    ...objectsIn(objectIn(exit?.route).attempts).map(({ approval }) => textIn(approval)),
  ]);
  return approvals.filter(({ approval_id }) => ids.has(textIn(approval_id))).toReversed();
};
