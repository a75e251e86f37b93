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

const UNBOUND = 'The log does not say to which store it belongs, and no migration names it.';

/**
 * Says if a log did not come with a copy as a person accepted it: a copy gets an id of its own, so the log names the id of the original
 * store, and it is not continued in this one.
 */
const copyFault = ({ state }: LogWalk, size: number, named: readonly unknown[], id: string): string | undefined => {
  if (named.includes(id)) return 'The log belongs to this store, so it did not come with a copy.';
  return state.size === size
    ? undefined
    : `The log came with a copy and had ${count(size, 'record')} then; now it has ${state.size}.`;
};

const originFault = (named: readonly unknown[], id: string): string | undefined =>
  named.every((one) => one === id) ? undefined : 'The log belongs to another store.';

/** To which stores the records of a log bind it: its own, and migrations that list it because it is older than the store's id. */
interface Bond {
  /** The ids; `undefined` is among them if a migration does not have the id that it must have. */
  readonly stores: readonly unknown[];
  readonly isBound: boolean;
}

const bondOf = ({ state, history }: LogWalk, walks: readonly LogWalk[]): Bond => {
  const own = state.first?.store;
  const listing = walks.filter((other) => other.history.listed.has(state.log));
  const listed = listing.flatMap((other) => [...other.history.storeIds]);
  return {
    stores: [...(own === undefined ? [] : [own]), ...history.storeIds, ...listed],
    isBound: own !== undefined || listing.length > 0,
  };
};

const checkOrigins = (walks: readonly LogWalk[], id: string, { copied }: Acceptances): void => {
  // Records are not read if a head that the user trusts covers them. The migration record that names a log may be one of these, so the name
  // of the log is then not required.
  const isAnyTrusted = walks.some(({ trusted }) => trusted > 0);
  for (const walk of walks.filter(({ state }) => state.first !== undefined)) {
    const { log } = walk.state;
    const [size, { stores, isBound }] = [copied.get(log), bondOf(walk, walks)];
    const origin = size === undefined ? originFault(stores, id) : copyFault(walk, size, stores, id);
    const fault = isBound || isAnyTrusted ? origin : UNBOUND;
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
