// Verifies the whole store: its logs, its evidence rows, SQLite's own check and receipts that clients kept, in parallel. Its
// memory does not grow with the store. Or the logs of one machine alone, against the heads that others signed of them.
import { lossesIn } from './accepted.js';
import { bindingVerdict } from './binding.js';
import { Damaged, type Executor, Stopped, Unreadable } from './executor.js';
import { RowFollower } from './follow-rows.js';
import { VERIFY_LIMITS } from './limits.js';
import { checkBinding } from './log/binding-check.js';
import { checkHeads, walkLogs } from './log/ledger-check.js';
import { acceptsLoss, checkNewerLogs } from './log/log-check.js';
import type { LogWalk } from './log/log-walk.js';
import { checkMissingSuccessors } from './log/missing-successors.js';
import type { ScoredLog } from './log/scored.js';
import { adoptedRemarks, doubtfulTails, tailRemarks, unsignedTails } from './log/unsigned-tail.js';
import { missingOf } from './missing.js';
import { followPresences } from './presence-check.js';
import { UnknownScope, type VerifyRequest } from './request.js';
import {
  checkedRecords,
  checkedSentences,
  newResults,
  notCheckedSentences,
  resultRemarks,
  sumOver,
  type WholeEnding,
  type WholeResults,
} from './results.js';
import { evidenceTables } from './rows-check.js';
import { checkChecksums, NEWEST } from './schema-check.js';
import { openScratch } from './scratch.js';
import { type Survey, survey } from './survey.js';
import { custodyOf } from './verdict/custody.js';
import type { Missing } from './verdict/finding.js';
import { addFinding, addFound, type Found, nothingFound } from './verdict/finding-list.js';
import { type JudgedEvidence, unreadableEvidence } from './verdict/judge.js';

const checkFile = async (executor: Executor, results: WholeResults, mostRecords: number): Promise<void> => {
  const { found, covered } = await executor.run('file', { mostRecords });
  addFound(results.file, found);
  results.fileCheck = covered;
};

const checkRows = async (executor: Executor, results: WholeResults, { overview }: Survey): Promise<void> => {
  if (overview.newer !== undefined) return;
  for (const table of evidenceTables().keys()) {
    let report = await executor.run('rows', { table, after: null });
    for (;;) {
      addFound(results.rows, report.found);
      results.rowCount += report.rows;
      if (report.after === null) break;
      report = await executor.run('rows', { table, after: report.after });
    }
  }
};

const scoredOf = ({ state: { log, base, walked }, trusted, events }: LogWalk): ScoredLog => ({
  ...{ log, from: base + trusted, to: base + walked, events },
});

const checkLogs = async (
  executor: Executor,
  { walks, accepted, overview, binding }: Survey,
  results: WholeResults,
  { onProgress, headsDir, scope }: VerifyRequest,
): Promise<void> => {
  const { explained } = results;
  const isNewer = overview.newer !== undefined;
  const total = sumOver(walks, ({ state, trusted }) => state.walked - trusted);
  const presences = openScratch();
  const follower = new RowFollower(walks);
  try {
    await walkLogs(executor, walks, { explained, accepted, isNewer }, (report) => {
      presences.addAll(report.presences);
      follower.take(report);
      onProgress?.(checkedRecords(walks), total);
    });
    if (overview.newer !== undefined) return checkNewerLogs(walks, overview.newer, accepted);
    checkChecksums(walks);
    checkBinding(walks, overview.storeId, accepted);
    await checkMissingSuccessors(executor, walks, headsDir);
    await followPresences(executor, walks, presences, results.calls);
    if (scope.kind === 'node') return;
    addFound(results.rows, await executor.run('scored', walks.map(scoredOf)));
    results.followed = await follower.judge(executor, lossesIn(accepted, walks, binding?.gone ?? []));
  } finally {
    presences.close();
    follower.close();
  }
};

/** Checks receipts. If a person accepted the loss of a receipt's record with `colibri restore`, that is a remark and not a finding. */
const checkReceipts = async (
  executor: Executor,
  results: WholeResults,
  { receipts = [] }: VerifyRequest,
  { walks }: Survey,
): Promise<void> => {
  const ends = walks
    .filter(acceptsLoss)
    .map(({ state: { first } }) => ({ log: first?.previous, size: Number(first?.size) }));
  const kept = receipts.filter(({ log, seq }) => !ends.some((end) => end.log === log && seq >= end.size));
  results.lostReceipts = receipts.length - kept.length;
  for (let at = 0; at < kept.length; at += VERIFY_LIMITS.verifyBatch) {
    const some = kept.slice(at, at + VERIFY_LIMITS.verifyBatch);
    const { found, unanswered } = await executor.run('receipts', some);
    addFound(results.receipts, found);
    results.unanswered += unanswered;
    results.receiptCount += some.length;
  }
};

/** Why a part of the verification ended early: the time limit was reached, or the store could no longer be read. */
const endingOf = (parts: readonly PromiseSettledResult<void>[]): WholeEnding => {
  const reasons = parts.flatMap((part) => (part.status === 'rejected' ? [part.reason as unknown] : []));
  const isKnown = (reason: unknown): boolean => [Stopped, Unreadable, Damaged].some((known) => reason instanceof known);
  const foreign = reasons.find((reason) => !isKnown(reason));
  if (foreign !== undefined) throw foreign;
  const damaged = nothingFound();
  for (const reason of reasons) {
    if (reason instanceof Damaged)
      addFinding(damaged, 'file', {}, `This part of the store cannot be read: ${reason.message}.`);
  }
  return {
    damaged,
    isStopped: reasons.length > 0,
    unreadable: reasons.find((reason) => reason instanceof Unreadable)?.message,
  };
};

const newerFormat = ({ overview: { newer } }: Survey): Missing[] => {
  if (newer === undefined) return [];
  const message = `The store has format ${newer}, this Colibri knows ${NEWEST}: verify with the newer one. What only that one knows was not judged.`;
  return [{ kind: 'newer format', message }];
};

const unreadHeads = ({ unread }: Survey): Missing[] =>
  unread.map((why) => ({ kind: 'no head', message: `${why}. A rollback past an unreadable head would not show.` }));

const allFound = (
  { overview, walks, found: heads }: Survey,
  results: WholeResults,
  ...more: readonly Found[]
): Found => {
  const { calls, followed, receipts, rows, file } = results;
  const found = nothingFound();
  const followedRows = followed ? [followed.found] : [];
  const logs = walks.map((walk) => walk.found);
  for (const part of [overview.found, ...logs, calls, heads, ...more, ...followedRows, receipts, rows, file]) {
    addFound(found, part);
  }
  return found;
};

const custodyFor = ({ path, url, keys, headsDir }: VerifyRequest, { walks, headsFound, headsGiven }: Survey) => {
  const logs = walks.filter(({ state }) => state.closedAt === null).map(({ state }) => state.log);
  return custodyOf({ path, url, keys, logs, headsDir, found: headsFound, given: headsGiven });
};

const isOpenIn =
  (walks: readonly LogWalk[]) =>
  (log: string): boolean =>
    walks.some(({ state }) => state.log === log && state.closedAt === null);

/** What was asked for of a store: all logs, or those of one machine. */
const askedOf = (seen: Survey, { scope }: VerifyRequest): Survey => {
  if (scope.kind !== 'node') return seen;
  const walks = seen.walks.filter(({ leftOut }) => !leftOut);
  if (walks.length === 0) throw new UnknownScope(scope.id);
  return { ...seen, walks };
};

const notAsked = ({ scope }: VerifyRequest): string[] =>
  scope.kind === 'node'
    ? [
        'Of the logs of other machines all but their sizes; rows, and what logs say of each other: verify the whole store for those.',
      ]
    : [];

/** Verifies the store, or the logs of one machine in it. `isKnown`: whether this version knows its format. */
export const verifyWhole = async (
  executor: Executor,
  request: VerifyRequest,
  isKnown: boolean,
): Promise<JudgedEvidence> => {
  const results = newResults();
  const isWhole = request.scope.kind === 'store';
  // SQLite's own check is the longest single job, so it starts first; its result is awaited with the others.
  const { since, fileRecords = VERIFY_LIMITS.fileRecords } = request;
  const isEachRead = isKnown && since === undefined;
  const mostRecords = isEachRead ? fileRecords : Number.POSITIVE_INFINITY;
  const file = isWhole ? checkFile(executor, results, mostRecords) : Promise.resolve();
  file.catch(() => {});
  const seen = await survey(executor, request);
  const { overview } = seen;
  if (overview.unreadable !== undefined) return unreadableEvidence(request.scope, overview.unreadable);
  const asked = askedOf(seen, request);
  const { walks } = asked;
  const ending = endingOf(
    await Promise.allSettled([
      file,
      checkLogs(executor, seen, results, request),
      isWhole ? checkRows(executor, results, seen) : Promise.resolve(),
      checkReceipts(executor, results, request, seen),
    ]),
  );
  checkHeads(seen.walks, { accepted: seen.accepted, elsewhere: new Set(seen.binding?.elsewhere) });
  const unsigned = unsignedTails(walks, request.keys);
  const bound = bindingVerdict(seen, unsigned);
  const doubtful = ending.isStopped
    ? []
    : await doubtfulTails(unsigned, isOpenIn(walks), (log) => executor.run('written', log));
  const unfinished = walks.find(({ state, checkedTo }) => checkedTo < state.walked);
  return {
    scope: request.scope,
    found: allFound(asked, results, bound.found, ending.damaged),
    missing: [
      ...newerFormat(seen),
      ...missingOf(walks, seen.accepted),
      ...(isWhole ? bound.missing : []),
      ...doubtful,
      ...unreadHeads(seen),
    ],
    unsigned,
    remarks: [
      ...tailRemarks(unsigned, walks),
      ...adoptedRemarks(walks),
      ...resultRemarks(asked, results),
      ...(isWhole ? bound.remarks : []),
    ],
    checked: checkedSentences(asked, results, isWhole),
    notChecked: [...notAsked(request), ...notCheckedSentences(asked, ending)],
    custody: custodyFor(request, asked),
    records: checkedRecords(walks),
    complete: !ending.isStopped && overview.newer === undefined,
    checkedToSeq: unfinished && unfinished.checkedTo > 0 ? unfinished.checkedTo - 1 : undefined,
    unreadable: ending.unreadable,
  };
};
