// colibri verify
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Command, Option } from 'commander';
import { count } from '../../core/figures.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { NO_CUSTODY } from '../../verify/verdict/custody.js';
import type { Scope, Verdict } from '../../verify/verdict/verdict.js';
import { UnknownScope, verifyStore } from '../../verify/verify.js';
import { assertThere } from '../access.js';
import { readInput } from '../input.js';
import { isWritable } from '../paths.js';
import { findStore, type PlaceOptions, type StoreAt, withPlace } from '../place.js';
import { running } from '../run.js';
import { oneLine, say, sayJson } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { wrong } from '../target.js';
import { asCopy, headsOfCopy } from './copy.js';
import { verifyProof } from './proof.js';
import { type Receipt, readReceipts } from './receipts-file.js';
import { withSkills } from './skill-drift.js';
import { verdictLines } from './verdict-text.js';

const AFTER = `
Reads the whole store and recomputes everything: records, tree, checkpoints,
heads, calls, tasks, sessions, thoughts. Nothing is written, and a server that
runs is not disturbed.

  colibri verify                   the store of this project
  colibri verify --session <id>    one session
  colibri verify --task T-0042     the sessions of one task
  colibri verify --head usb/9f3c….checkpoint
                                   against a head that was kept elsewhere
                                   (\`checkpoint --to\`); - is stdin
  colibri verify --receipts kept.jsonl
                                   against receipts that a client kept
  colibri verify --since last-week.checkpoint
                                   trusts what that head covers and says what
                                   was skipped
  colibri verify --db monday.db --copy
                                   an older copy: heads that are newer than it
                                   are left out, and that is said
  colibri verify decision.tlog-proof --key 'colibri.dev/log/…'
                                   a proof file alone; no store is needed

Exit codes, the first that applies:
  20  a contradiction: something was changed, added, removed or put back
  30  it cannot be read
  10  intact, but evidence is missing, and the store says so itself
   0  neither`;

interface VerifyOptions extends PlaceOptions {
  readonly session?: string;
  readonly task?: string;
  readonly head: readonly string[];
  readonly receipts?: string;
  readonly since?: string;
  readonly copy?: true;
  readonly proof?: string;
  readonly key?: string;
  readonly allowCosignatures?: true;
  readonly json?: true;
}

/** Evidence about logs says nothing about single rows: taken silently it would look as if it had been held against them. */
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

const scopeOf = (options: VerifyOptions): Scope => {
  const { session, task } = options;
  if (session !== undefined && task !== undefined) throw wrong('--session and --task exclude each other.', 'Give one.');
  if (session !== undefined) assertUsed('--session', options);
  if (task !== undefined) assertUsed('--task', options);
  if (session !== undefined) return { kind: 'session', id: session };
  if (task === undefined) return { kind: 'store' };
  const n = taskNumber(task);
  if (n === undefined) throw wrong(`${JSON.stringify(task)} is no task.`, 'Tasks are named like T-0042.');
  return { kind: 'task', id: taskId(n) };
};

/** What was handed in from outside; it is read before anything is judged. */
interface Given {
  readonly heads: readonly string[];
  readonly receipts: readonly Receipt[] | undefined;
  readonly since: string | undefined;
}

const givenBy = ({ head, receipts, since }: VerifyOptions): Given => ({
  heads: head.map((file) => readInput(file, 'head')),
  receipts: receipts === undefined ? undefined : readReceipts(readInput(receipts, 'file of receipts')),
  since: since === undefined ? undefined : readInput(since, 'head'),
});

/** What a store that cannot be opened has to say. */
const unreadable = (scope: Scope, thrown: unknown): Verdict => ({
  exit: 30,
  valid: false,
  complete: false,
  scope,
  record_count: 0,
  broken_count: 0,
  first_broken_at: null,
  findings: [],
  missing: [],
  remarks: [oneLine(thrown)],
  checked: [],
  not_checked: ['everything'],
  custody: NO_CUSTODY,
});

/** It may have been taken out: the records of the store would say so. */
const notThere = (scope: Scope): Error =>
  wrong(
    `The store has no ${scope.kind} ${scope.kind === 'store' ? '' : scope.id}.`,
    'If there was one, verify the whole store.',
  );

const verify = async (at: StoreAt, scope: Scope, options: VerifyOptions): Promise<Verdict> => {
  const progress = progressOn(process.stderr, 'verifying');
  try {
    assertThere(at);
    const { heads: given, receipts, since } = givenBy(options);
    const copy = options.copy ? await headsOfCopy(at) : undefined;
    const heads = [...given, ...(copy?.heads ?? [])];
    const verdict = await verifyStore({
      path: at.path,
      scope,
      ...(copy === undefined && { headsDir: at.headsDir }),
      keys: { dir: at.keysDir, ...(at.keyFile !== undefined && { file: at.keyFile }) },
      ...(heads.length > 0 && { heads }),
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

/** SQLite cannot read a write-ahead-log database where it cannot make a file beside it. */
const withHint = (verdict: Verdict, { path }: StoreAt): Verdict => {
  const folder = dirname(path);
  if (verdict.exit !== 30 || !existsSync(path) || isWritable(folder)) return verdict;
  const hint = `This user cannot write ${folder}. With no server running, copy ${path} elsewhere and verify the copy with --db.`;
  return { ...verdict, remarks: [...verdict.remarks, hint] };
};

const show = (verdict: Verdict, at: StoreAt): void => {
  const { scope, record_count, complete } = verdict;
  const subject = scope.kind === 'store' ? `store ${at.path}` : `${scope.kind} ${scope.id} in ${at.path}`;
  const some = `${count(record_count, 'record')} checked${complete ? '' : ', not all of them'}`;
  const facts = record_count === 0 && !complete ? [] : [some];
  for (const line of verdictLines({ ...verdict, subject, facts, isEmpty: isEmpty(verdict) })) say(line);
};

const isEmpty = ({ scope, exit, record_count }: Verdict): boolean =>
  scope.kind === 'task' && exit === 0 && record_count === 0;

const withEmptiness = (verdict: Verdict): Verdict => {
  const remark = 'No thought is recorded for this task; its row and its changes are checked with the whole store.';
  return isEmpty(verdict) ? { ...verdict, remarks: [...verdict.remarks, remark] } : verdict;
};

const verifyInStore = async (options: VerifyOptions): Promise<number> => {
  const scope = scopeOf(options);
  const at = findStore(options);
  const verdict = await withSkills(withEmptiness(withHint(await verify(at, scope, options), at)), at);
  if (options.json) sayJson(verdict);
  else show(verdict, at);
  return verdict.exit;
};

const run = (file: string | undefined, options: VerifyOptions): Promise<number> => {
  const proof = file ?? options.proof;
  if (proof === undefined && options.key !== undefined) throw wrong('--key is for a proof file.', 'Name the file.');
  return proof === undefined ? verifyInStore(options) : verifyProof(proof, options);
};

export const verifyCommand = (): Command =>
  withPlace(new Command('verify').argument('[proof]', 'a proof file; the store if left out'))
    .description('check the store, a session, a task, or a proof file')
    .option('--session <id>', 'one session')
    .option('--task <id>', 'the sessions of one task')
    .addOption(
      new Option('--head <file>', 'a head that was kept elsewhere; may be repeated')
        .default([], 'none')
        .argParser((file, all: string[]) => [...all, file]),
    )
    .option('--receipts <file>', 'receipts that a client kept, as JSON')
    .option('--since <file>', 'a head whose records are taken on trust')
    .option('--copy', 'an older copy of a store: leave newer heads out')
    .option('--proof <file>', 'the same as the argument')
    .option('--key <vkey>', 'the key of the log that the proof is of: the text, or a file with it')
    .option('--allow-cosignatures', 'signatures of others on a checkpoint are no fault')
    .addHelpText('after', AFTER)
    .action(running(async (file: string | undefined, options: VerifyOptions) => run(file, options)));
