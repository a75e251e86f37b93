// `colibri verify` without a proof file: checks the whole store, one machine, a session or a task. This file is separate because it loads the
// database driver.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { count } from '../../core/figures.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { sourceAt } from '../../start/store-source.js';
import { NO_CUSTODY } from '../../verify/verdict/custody.js';
import type { Verdict, VerdictScope } from '../../verify/verdict/verdict.js';
import { type GivenReceipt, UnknownScope, verifyStore } from '../../verify/verify.js';
import { assertThere } from '../access.js';
import { readInput } from '../input.js';
import { isWritable } from '../paths.js';
import { findStore, type StoreAt } from '../place.js';
import { oneLine, say, sayJson } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { wrong } from '../target.js';
import { asCopy, headsOfCopy } from './copy.js';
import type { VerifyOptions } from './options.js';
import { readReceipts } from './receipts-file.js';
import { withSkills } from './skill-drift.js';
import { verdictLines } from './verdict-text.js';

/** Throws if heads or receipts are given with --node, --session or --task: they are about any log and would be ignored. */
const assertUsed = (scope: string, { head, receipts, since, copy }: VerifyOptions): void => {
  const given = [
    ...(head.length > 0 ? ['--head'] : []),
    ...(receipts === undefined ? [] : ['--receipts']),
    ...(since === undefined ? [] : ['--since']),
    ...(copy === undefined ? [] : ['--copy']),
  ];
  if (given.length === 0) return;
  throw wrong(`${scope} does not go with ${given.join(', ')}.`, `Leave ${scope} out to verify the whole store.`);
};

const scopeOf = (options: VerifyOptions): VerdictScope => {
  const { node, session, task } = options;
  const parts = Object.entries({ node, session, task }).filter(([, id]) => id !== undefined);
  if (parts.length > 1)
    throw wrong(`${parts.map(([name]) => `--${name}`).join(' and ')} exclude each other.`, 'Give one.');
  for (const [name] of parts) assertUsed(`--${name}`, options);
  if (node !== undefined) return { kind: 'node', id: node };
  if (session !== undefined) return { kind: 'session', id: session };
  if (task === undefined) return { kind: 'store' };
  const n = taskNumber(task);
  if (n === undefined) throw wrong(`${JSON.stringify(task)} is not a task.`, 'Tasks are named like T-0042.');
  return { kind: 'task', id: taskId(n) };
};

/** The heads and receipts that the user gave, read before the check begins. */
interface Given {
  readonly heads: readonly string[];
  readonly receipts: readonly GivenReceipt[] | undefined;
  readonly since: string | undefined;
}

const givenBy = ({ head, receipts, since }: VerifyOptions): Given => ({
  heads: head.map((file) => readInput(file, 'head')),
  receipts: receipts === undefined ? undefined : readReceipts(readInput(receipts, 'file of receipts')),
  since: since === undefined ? undefined : readInput(since, 'head'),
});

/** The verdict about a store that cannot be opened. */
const unreadable = (scope: VerdictScope, thrown: unknown): Verdict => ({
  exit: 30,
  valid: false,
  complete: false,
  scope,
  record_count: 0,
  broken_count: 0,
  first_broken_at: null,
  findings: [],
  missing: [],
  unsigned: [],
  remarks: [oneLine(thrown)],
  checked: [],
  not_checked: ['everything'],
  custody: NO_CUSTODY,
});

/** The error for what the store does not have; if it was deleted, a check of the whole store finds that. */
const notThere = (scope: VerdictScope): Error => {
  if (scope.kind === 'node')
    return wrong(`The store has no log of machine ${scope.id}.`, '`colibri nodes` lists the machines.');
  return wrong(
    `The store has no ${scope.kind} ${scope.kind === 'store' ? '' : scope.id}.`,
    `If the store had this ${scope.kind} before, verify the whole store.`,
  );
};

const verify = async (at: StoreAt, scope: VerdictScope, options: VerifyOptions): Promise<Verdict> => {
  const progress = progressOn(process.stderr, 'verifying');
  try {
    assertThere(at);
    const { heads: given, receipts, since } = givenBy(options);
    const copy = options.copy ? await headsOfCopy(at) : undefined;
    const verdict = await verifyStore({
      ...sourceAt(at),
      scope,
      ...(copy === undefined && { headsDir: at.headsDir, host: at.site.host }),
      keys: { dir: at.keysDir, ...(at.keyFile !== undefined && { file: at.keyFile }) },
      ...(given.length > 0 && { heads: given }),
      ...(copy !== undefined && { keptHeads: copy.heads }),
      ...(receipts && { receipts }),
      ...(since !== undefined && { since }),
      onProgress: progress.update,
    });
    return copy === undefined ? verdict : asCopy(verdict, copy, at, given.length > 0);
  } catch (thrown) {
    return unreadable(scope, thrown instanceof UnknownScope ? notThere(scope) : thrown);
  } finally {
    progress.end();
  }
};

/** Adds a hint if the folder is read-only: there SQLite cannot read a database in WAL mode, because it must create a file. */
const withHint = (verdict: Verdict, { engine, path }: StoreAt): Verdict => {
  const folder = dirname(path);
  if (engine !== 'sqlite' || verdict.exit !== 30 || !existsSync(path) || isWritable(folder)) return verdict;
  const hint = `This user cannot write ${folder}. With no server running, copy ${path} elsewhere and verify the copy with --db.`;
  return { ...verdict, remarks: [...verdict.remarks, hint] };
};

const show = (verdict: Verdict, at: StoreAt): void => {
  const { scope, record_count, complete } = verdict;
  const { path } = sourceAt(at);
  const subject = scope.kind === 'store' ? `store ${path}` : `${scope.kind} ${scope.id} in ${path}`;
  const some = `${count(record_count, 'record')} checked${complete ? '' : ', not everything of the store'}`;
  const facts = record_count === 0 && !complete ? [] : [some];
  for (const line of verdictLines({ ...verdict, subject, facts, isEmpty: isEmpty(verdict) })) say(line);
};

const isEmpty = ({ scope, exit, record_count }: Verdict): boolean =>
  scope.kind === 'task' && exit === 0 && record_count === 0;

const withEmptiness = (verdict: Verdict): Verdict => {
  const remark = 'No thought is recorded for this task; its row and its changes are checked with the whole store.';
  return isEmpty(verdict) ? { ...verdict, remarks: [...verdict.remarks, remark] } : verdict;
};

export const verifyInStore = async (options: VerifyOptions): Promise<number> => {
  const scope = scopeOf(options);
  const at = findStore(options);
  const verdict = await withSkills(withEmptiness(withHint(await verify(at, scope, options), at)), at);
  if (options.json) sayJson(verdict);
  else show(verdict, at);
  return verdict.exit;
};
