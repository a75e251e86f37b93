// `colibri approve` and `colibri deny`: record a person's answer. Whoever answers types four digits on a terminal, and is not a program that
// the asking client started, as far as the system shows that.
import type { Command } from 'commander';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { quietly } from '../../errors.js';
import { ownLogOf } from '../../ledger/own-log.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx } from '../../store/store.js';
import {
  type ApprovalRow,
  approvalById,
  approvalsBeginning,
  changeApproval,
  expireOver,
} from '../../switchboard/records/approval-repository.js';
import { ownLog, readingOnce, readingStore, writingStore } from '../access.js';
import { checkedReason } from '../confirm.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { wrong } from '../target.js';
import { typedBack } from './digits.js';
import { assertNotBelowClient } from './person.js';
import { approvalJson, approvalLines, stateNow } from './shown.js';

const AFTER = `
Shows the call and four digits; typing them back is the answer. Refused without
a terminal, from a pipe, and where the client that asks, or any other that calls
tools through Colibri now, stands above this command: an agent cannot answer for
you by its own shell.

Exit codes: 0 recorded; 1 nothing was recorded; 130 interrupted at the question,
and nothing was recorded.`;

type Verdict = 'granted' | 'denied';

interface AnswerOptions extends PlaceOptions {
  readonly why?: string;
}

/** The beginning of an approval's id; a whole one has ten digits. */
const ID_PREFIX = /^[0-9a-f]{4,9}$/;

/** The approval with this id, or the only one whose id begins so; throws if several do. */
const findApproval = async (tx: ReadTx, id: string): Promise<ApprovalRow | undefined> => {
  if (!ID_PREFIX.test(id)) return approvalById(tx, id);
  const [only, ...others] = await approvalsBeginning(tx, id, CLI_LIMITS.namedCalls);
  if (others.length > 0)
    throw wrong(`Several approvals begin with ${id}.`, `Give more of the id: ${[only, ...others].join(', ')}.`);
  return only === undefined ? undefined : approvalById(tx, only);
};

const ASK_AGAIN = 'If the agent calls again, you are asked anew.';

/** What follows for an approval that does not wait any more. */
const IS_OVER: Readonly<Record<string, string>> = {
  granted: 'Let the agent call again with the same arguments.',
  denied: 'The agent is told so until it would have run out; after that a call is asked about anew.',
};

const assertWaiting = (row: ApprovalRow | undefined, id: string): ApprovalRow => {
  if (row === undefined)
    throw wrong(`There is no approval ${id} in this store.`, '`colibri approvals` shows what waits.');
  if (row.round !== null)
    throw wrong(`Approval ${id} is given by the votes of round ${row.round}, not here.`, 'docs/approvals.md says how.');
  const state = stateNow(row, isoClock()());
  if (state !== 'asked')
    throw wrong(`Approval ${id} does not wait for an answer: it is ${state}.`, IS_OVER[state] ?? ASK_AGAIN);
  return row;
};

const clientsOf = ({ asker }: ApprovalRow): readonly string[] => {
  const names: unknown = quietly(() => JSON.parse(asker));
  return Array.isArray(names) ? names.map(String) : [];
};

const record = (at: StoreAt, id: string, verdict: Verdict, reason: string | null): Promise<ApprovalRow | undefined> =>
  writingStore(at, (store) =>
    store.write(
      async (tx) => {
        const log = ownLogOf(at.keys, await ownLog(tx, at));
        const to = { log, at: isoClock()() };
        const row = await approvalById(tx, id);
        if (row === undefined) return undefined;
        const [waiting] = await expireOver(tx, [row], to);
        if (waiting?.state !== 'asked') return undefined;
        const change = { state: verdict, via: 'command', answered_by: asName(at.user), claimed: 0, reason } as const;
        return (await changeApproval(tx, waiting, change, to))?.row;
      },
      { sync: true },
    ),
  );

const answer =
  (verdict: Verdict) =>
  async (text: string | undefined, options: AnswerOptions): Promise<number> => {
    if (text === undefined) throw wrong('Which approval?', '`colibri approvals` shows what waits, with the ids.');
    const reason = options.why === undefined ? null : asName(checkedReason(options.why));
    const at = findStore(options);
    const row = assertWaiting(await readingOnce(at, (tx) => findApproval(tx, text.toLowerCase())), text);
    const id = row.approval_id;
    await readingStore(at, (store) =>
      assertNotBelowClient(store, at, { what: 'answer', clients: clientsOf(row), asking: row.instance }),
    );
    const question = verdict === 'granted' ? 'Allow this call, once?' : 'Deny this call?';
    if (!(await typedBack(approvalLines(row, isoClock()()), question))) {
      tell('The digits were not typed; nothing was recorded.');
      return EXIT_FAILED;
    }
    const now = await record(at, id, verdict, reason);
    if (now === undefined)
      throw wrong(`Approval ${id} was answered or ran out meanwhile.`, '`colibri approvals --all` shows how.');
    if (options.json) sayJson(approvalJson(now, isoClock()()));
    else
      say(
        verdict === 'granted'
          ? `Allowed, once: ${plain(row.tool)} of ${plain(row.server)}. Tell the agent to call again.`
          : `Denied: ${plain(row.tool)} of ${plain(row.server)}.`,
      );
    return 0;
  };

export const approveCommand = (): Command =>
  storeCommand('approve', 'allow one call that an agent asks for', AFTER, answer('granted')).argument(
    '[approval]',
    'its id or the beginning of it, from `colibri approvals`',
  );

export const denyCommand = (): Command =>
  storeCommand('deny', 'deny one call that an agent asks for', AFTER, answer('denied'))
    .argument('[approval]', 'its id or the beginning of it, from `colibri approvals`')
    .option('--why <text>', 'why; the agent is told');
