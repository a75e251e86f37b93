// Checks that all logs belong to this store: each names its id, or a record names the log that was there before. And that no log is gone or
// shorter than another log says.
import { count } from '../../core/figures.js';
import type { Acceptances } from '../accepted.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import type { Lacking } from './beside-check.js';
import { isGivenUp } from './log-check.js';
import type { LogWalk } from './log-walk.js';

const STORE_ID = /^[0-9a-f]{32}$/;

/** The id of the store; undefined if its table does not hold exactly one. */
export const checkIdentity = (ids: readonly unknown[], found: Found): string | undefined => {
  const [id, ...others] = ids;
  if (typeof id === 'string' && STORE_ID.test(id) && others.length === 0) return id;
  addFinding(found, 'binding', { table: 'identity' }, 'The store does not have one id.');
  return undefined;
};

/** A log that came with an accepted copy has the id of the store that was copied, and is not continued here. */
const copyFault = ({ state }: LogWalk, size: number): string | undefined =>
  state.size === size ? undefined : `It came with a copy as a log of ${count(size, 'record')}, and has ${state.size}.`;

const originFault = (walk: LogWalk, id: string, isListed: boolean): string | undefined => {
  const { state, history } = walk;
  if (state.first === undefined) return undefined;
  const { store } = state.first;
  if (store === undefined && !isListed) return 'It does not say to which store it belongs, and no migration names it.';
  const isOurs = [store, history.storeId].every((named) => named === undefined || named === id);
  return isOurs ? undefined : 'It belongs to another store.';
};

const checkOrigins = (walks: readonly LogWalk[], id: string, { copied }: Acceptances): void => {
  // Records below a trusted head are not read, and a migration may be among them.
  const isAnyTrusted = walks.some(({ trusted }) => trusted > 0);
  const listed = new Set(walks.flatMap(({ history }) => [...history.listed]));
  for (const walk of walks) {
    const { log } = walk.state;
    const size = copied.get(log);
    const isListed = isAnyTrusted || listed.has(log);
    const fault = size === undefined ? originFault(walk, id, isListed) : copyFault(walk, size);
    if (fault !== undefined) addFinding(walk.found, 'binding', { log, seq: 0 }, fault);
  }
};

const lackingFault = ({ log, size, has }: Lacking): string =>
  `It names log ${log} with ${count(size, 'record')}; ${has === undefined ? 'that log is not in the store' : `the store has ${has}`}.`;

const checkLacking = (walks: readonly LogWalk[], { missing }: Acceptances): void => {
  for (const { state, history, found } of walks) {
    for (const lacking of history.lacking.values()) {
      if (missing.has(lacking.log) || isGivenUp(walks, lacking)) continue;
      addFinding(found, 'binding', { log: state.log, seq: lacking.seq }, lackingFault(lacking));
    }
  }
};

/** Checks logs against each other and against the store's id, when all records were read. */
export const checkBinding = (walks: readonly LogWalk[], id: string | undefined, accepted: Acceptances): void => {
  if (id !== undefined) checkOrigins(walks, id, accepted);
  checkLacking(walks, accepted);
};
