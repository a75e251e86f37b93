// Reads what a verification of the whole store starts from: first the signed heads, then the logs with their sizes. Whatever a
// running server adds later is newer than both and is not checked.

import type { Binding } from '../ledger/binding.js';
import { type Acceptances, acceptedOf } from './accepted.js';
import type { Executor } from './executor.js';
import { type KnownNote, noHeads, type ReadHeads } from './heads/heads.js';
import type { StoredHead } from './heads/known-heads.js';
import { VERIFY_LIMITS } from './limits.js';
import { CHUNK } from './log/chunk.js';
import { type LogWalk, logWalk } from './log/log-walk.js';
import type { LogState, Overview } from './overview.js';
import type { VerifyRequest } from './request.js';
import { addFinding, type Found } from './verdict/finding-list.js';

export interface Survey {
  readonly overview: Overview;
  readonly walks: readonly LogWalk[];
  /** How the store compares with the heads folder; undefined if they could not be compared. */
  readonly binding: Binding | undefined;
  readonly accepted: Acceptances;
  /** Findings about heads. */
  readonly found: Found;
  /** Names of files in the heads folder that are not heads. */
  readonly strays: readonly string[];
  readonly unread: readonly string[];
  readonly headsFound: number;
  readonly headsGiven: number;
}

/** Compares the store with the heads folder; undefined if no folder was named, or if the store has no id, which is reported elsewhere. */
const readBinding = (executor: Executor, { headsDir, host }: VerifyRequest, storeId: string | undefined) =>
  headsDir === undefined || storeId === undefined
    ? undefined
    : executor.run('binding', { dir: headsDir, ...(host !== undefined && { host }) });

const readStore = async (executor: Executor, { headsDir }: VerifyRequest): Promise<[ReadHeads, Overview]> => {
  for (let tries = 1; ; tries++) {
    const logs = await executor.run('logs', null);
    const heads = headsDir === undefined ? noHeads() : await executor.run('heads', { dir: headsDir, logs });
    const overview = await executor.run('overview', null);
    if (tries === VERIFY_LIMITS.surveyTries || overview.logs.every(({ log }) => logs.includes(log)))
      return [heads, overview];
  }
};

/**
 * The number of the first record that is checked if a head of this size is trusted. Jobs check whole ranges, so the range with the head's
 * last record is checked too.
 */
const trustedBelow = (size: number): number => Math.floor(Math.max(0, size - 1) / CHUNK) * CHUNK;

const walkOf = (
  state: LogState,
  heads: readonly StoredHead[],
  since: StoredHead | undefined,
  { scope }: VerifyRequest,
): LogWalk => {
  if (scope.kind === 'node' && scope.id !== state.node) return logWalk(state, heads, state.walked, true);
  const trusted = since === undefined || since.size > state.walked ? 0 : trustedBelow(since.size);
  const newestFirst = [...heads].sort((a, b) => b.size - a.size);
  return logWalk(state, newestFirst, trusted);
};

/** The origin text that marks the head which the user trusts among all heads. */
const SINCE = 'the trusted head';

export const survey = async (executor: Executor, request: VerifyRequest): Promise<Survey> => {
  const [read, overview] = await readStore(executor, request);
  const given: KnownNote[] = [
    ...(request.heads ?? []).map((note) => ({ note, from: 'a given head', isGiven: true })),
    ...(request.keptHeads ?? []).map((note) => ({ note, from: 'a kept head' })),
    ...(request.since === undefined ? [] : [{ note: request.since, from: SINCE, isGiven: true }]),
  ];
  const logs = overview.logs.map(({ log, publicKey }) => ({ log, publicKey }));
  const { found, heads } = await executor.run('notes', { notes: [...read.notes, ...given], logs });
  for (const { where, message } of read.bad) addFinding(found, 'head', where, message);
  const walks = overview.logs.map((state) => {
    const own = heads.filter(({ log }) => log === state.log).map(({ head }) => head);
    return walkOf(
      state,
      own,
      own.find(({ from }) => from === SINCE),
      request,
    );
  });
  const accepted = acceptedOf(
    overview.acceptances,
    (log) => walks.find(({ state }) => state.log === log)?.heads,
    heads.length > 0,
  );
  const bound = await readBinding(executor, request, overview.storeId);
  const isCompared = typeof bound !== 'string';
  const binding = isCompared ? bound : undefined;
  const { strays } = read;
  // If the store could not be compared with the heads folder, `bound` says why. `bound` is not reported if another fault is, because that
  // usually has the same reason.
  const unread = isCompared || read.unread.length + overview.found.count > 0 ? read.unread : [bound];
  return {
    overview,
    walks,
    binding,
    accepted,
    found,
    strays,
    unread,
    headsFound: read.notes.length,
    headsGiven: given.length,
  };
};
