// The entry point of a verification, for the command line and the tools: checks a store, the logs of one machine, a session or a task.
import { count } from '../core/figures.js';
import { Damaged, type Executor, inlineExecutor, Stopped, threadExecutor, Unreadable } from './executor.js';
import { VERIFY_LIMITS } from './limits.js';
import type { StoreSource } from './reading.js';
import { UnknownScope, type VerifyRequest } from './request.js';
import { custodyOf } from './verdict/custody.js';
import { addFinding, type Found, nothingFound } from './verdict/finding-list.js';
import { type JudgedEvidence, judge, unreadableEvidence } from './verdict/judge.js';
import type { Verdict } from './verdict/verdict.js';
import { verifyWhole } from './whole.js';

export type { GivenReceipt, KeptAnswer } from './receipts-check.js';
export { UnknownScope, type VerifyRequest } from './request.js';

/** Checks one session, or one task with its lease and its sessions: their rows, thoughts, and the records that the rows point to. */
const verifySessions = async (executor: Executor, { scope, path, keys }: VerifyRequest): Promise<JudgedEvidence> => {
  if (scope.kind === 'store' || scope.kind === 'node') throw new TypeError('the scope has whole logs');
  const report = await executor.run(scope.kind, scope.id);
  if (report === undefined) throw new UnknownScope(scope.id);
  const logs = await executor.run('logs', null);
  return {
    scope,
    found: report.found,
    checked: [
      ...(scope.kind === 'task' ? ['The task and its lease: rows, as their records say.'] : []),
      `${count(report.sessions, 'session')} with ${count(report.thoughts, 'thought')}: rows, chain, seal.`,
      `${count(report.records, 'record')} that the rows of sessions and thoughts point to: bytes, leaves, columns.`,
    ],
    notChecked: ['All other records, the tree over them, checkpoints and heads: verify the whole store for those.'],
    custody: custodyOf({ path, keys, logs, headsDir: undefined, found: 0, given: 0 }),
    records: report.thoughts,
    complete: true,
  };
};

const gaveUp = ({ scope }: VerifyRequest): JudgedEvidence =>
  unreadableEvidence(scope, 'the time limit was reached before the first record.');

/** The verdict on a store with foreign objects in its schema; nothing else of such a store is read. */
const plantedEvidence = ({ scope }: VerifyRequest, found: Found): JudgedEvidence => ({
  ...unreadableEvidence(scope, ''),
  unreadable: undefined,
  found,
  checked: ['The schema.'],
  complete: true,
  notChecked: ['Everything else: reading it would run the foreign objects in the schema.'],
});

/** The verdict on a file that is too damaged to be read on. */
const damagedEvidence = ({ scope }: VerifyRequest, why: string): JudgedEvidence => {
  const found = nothingFound();
  addFinding(found, 'file', {}, `This part of the store cannot be read: ${why}.`);
  return { ...unreadableEvidence(scope, ''), unreadable: undefined, found, notChecked: ['What follows the damage.'] };
};

const gather = async (executor: Executor, request: VerifyRequest): Promise<JudgedEvidence> => {
  try {
    const { unreadable, newer, planted } = await executor.run('first', null);
    if (unreadable !== undefined) return unreadableEvidence(request.scope, unreadable);
    if (planted.count > 0) return plantedEvidence(request, planted);
    if (request.scope.kind === 'store' || request.scope.kind === 'node')
      return await verifyWhole(executor, request, newer === undefined);
    if (newer !== undefined)
      return unreadableEvidence(request.scope, `The store has format ${newer}: verify with the Colibri that wrote it.`);
    return await verifySessions(executor, request);
  } catch (thrown) {
    if (thrown instanceof Damaged) return damagedEvidence(request, thrown.message);
    if (thrown instanceof Unreadable) return unreadableEvidence(request.scope, thrown.message);
    if (thrown instanceof Stopped) return gaveUp(request);
    throw thrown;
  }
};

/** A signal that aborts when the caller cancels or the time limit is reached. */
const stopSignal = ({ signal, budgetMs }: VerifyRequest): AbortSignal =>
  AbortSignal.any([
    ...(signal === undefined ? [] : [signal]),
    ...(budgetMs === undefined ? [] : [AbortSignal.timeout(budgetMs)]),
  ]);

const sourceOf = ({ path, url }: VerifyRequest): StoreSource => ({ path, ...(url !== undefined && { url }) });

/** Verifies a store. The promise rejects only with the reason of `request.signal` or `UnknownScope`; the verdict has every other fault. */
export const verifyStore = async (request: VerifyRequest): Promise<Verdict> => {
  const { signal, workers = VERIFY_LIMITS.threads } = request;
  const stop = stopSignal(request);
  const executor =
    workers === 0 ? inlineExecutor(sourceOf(request), stop) : threadExecutor(sourceOf(request), stop, workers);
  try {
    const evidence = await gather(executor, request);
    signal?.throwIfAborted();
    return judge(evidence);
  } finally {
    await executor.close();
  }
};
