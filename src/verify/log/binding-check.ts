// Checks that all logs belong to this store: the first record of a log names the store's id, or, for a log that is older than the id, a
// migration record names the log. Also checks that no log is missing or shorter than another log says.
import { count } from '../../core/figures.js';
import type { Acceptances } from '../accepted.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import type { Lacking } from './beside-check.js';
import { isGivenUp } from './log-check.js';
import type { LogWalk } from './log-walk.js';

const STORE_ID = /^[0-9a-f]{32}$/;

/** The id of the store; undefined, and a finding, if the table does not hold exactly one valid id. */
export const checkIdentity = (ids: readonly unknown[], found: Found): string | undefined => {
  const [id, ...others] = ids;
  if (typeof id === 'string' && STORE_ID.test(id) && others.length === 0) return id;
  addFinding(found, 'binding', { table: 'identity' }, 'The store does not have exactly one id.');
  return undefined;
};

/**
 * Says if a log that came with an accepted copy has changed: it names the id of the original store, and must not be continued in this
 * one.
 */
const copyFault = ({ state }: LogWalk, size: number): string | undefined =>
  state.size === size
    ? undefined
    : `The log came with a copy and had ${count(size, 'record')} then; now it has ${state.size}.`;

const originFault = (walk: LogWalk, id: string, isListed: boolean): string | undefined => {
  const { state, history } = walk;
  if (state.first === undefined) return undefined;
  const { store } = state.first;
  if (store === undefined && !isListed)
    return 'The log does not say to which store it belongs, and no migration names it.';
  const isOurs = [store, history.storeId].every((named) => named === undefined || named === id);
  return isOurs ? undefined : 'The log belongs to another store.';
};

const checkOrigins = (walks: readonly LogWalk[], id: string, { copied }: Acceptances): void => {
  // Records are not read if a head that the user trusts covers them. The migration record that names a log may be one of these, so the name
  // of the log is then not required.
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
  `The record names log ${log} with ${count(size, 'record')}; ${has === undefined ? 'that log is not in the store' : `the store has ${has}`}.`;

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
