// `colibri restore`: shows what is missing in a store that is older than its signed heads, and records that a person accepts the loss.
import type { Command } from 'commander';
import { EXIT_FAILED } from '../core/exit-codes.js';
import { count } from '../core/figures.js';
import { type Accepted, acceptRollback, lostLogs } from '../ledger/open.js';
import { readingOnce, writingStore } from './access.js';
import { checkedReason, confirmed } from './confirm.js';
import { findStore, logOptions, type PlaceOptions, type StoreAt } from './place.js';
import { recordTime } from './records/log-repository.js';
import { logInfo } from './records/record-repository.js';
import { storeCommand } from './run.js';
import { paint, plain, say, sayJson, tell } from './screen/print.js';
import { signLog } from './signing.js';

const AFTER = `
A log only grows. If the store is older than what was signed (a backup was put
back, a folder copied, a virtual machine reset), nothing is recorded until a
person decides: put the newer store back, or accept the loss. Accepting closes
the log and opens a new one whose first record says what is missing;
\`colibri verify\` then exits with 10, not 20.

  colibri restore                shows what is missing; changes nothing
  colibri restore --accept "disk replaced, backup of Monday"
                                 asks first; --yes does not ask

Exit codes: 0 nothing is missing, or accepted; 10 records are missing; 1 not
accepted, or failed; 130 interrupted at the question, and nothing was changed.`;

const ROLLED_BACK = 10;

/** The signed records that are missing from the first log that lacks some; undefined if no log lacks any. */
const findLoss = (at: StoreAt) =>
  readingOnce(at, async (tx) => {
    const [gone] = await lostLogs(tx, at.heads);
    if (gone === undefined) return undefined;
    const { log, size, known } = gone;
    const { base = 0 } = (await logInfo(tx, log)) ?? {};
    const last_record_at = await recordTime(tx, base + size - 1);
    return { log, size, known_size: known.size, lost: Math.max(0, known.size - size), last_record_at };
  });

type Loss = NonNullable<Awaited<ReturnType<typeof findLoss>>>;

const explain = (loss: Loss, at: StoreAt, write: (line: string) => void): void => {
  const { log, size, known_size, lost, last_record_at } = loss;
  write(paint('yellow', 'The store is older than its signed heads.'));
  write(`store   ${at.path}`);
  write(`log     ${log}`);
  write(`here    ${count(size, 'record')}, the last of ${plain(last_record_at ?? 'an unknown time')}`);
  write(`signed  ${count(known_size, 'record')} (head in ${at.headsDir})`);
  write(lost > 0 ? `missing ${count(lost, 'record')}, at least` : 'The records here are not those that were signed.');
};

/** Accepts the loss log by log until no log lacks records: a machine that was renamed may have several logs in the store. */
const accept = async (at: StoreAt, reason: string): Promise<Accepted> => {
  const { accepted, more } = await writingStore(at, async (store) => {
    const accepted = await acceptRollback(logOptions(at, store), reason);
    await signLog(at, store, accepted.log);
    return { accepted, more: await store.read((tx) => lostLogs(tx, at.heads)) };
  });
  if (more.length === 0) return accepted;
  const { log, lost } = await accept(at, reason);
  return { log, lost: accepted.lost + lost };
};

/** True if the person agrees: accepting closes a log for good. If nothing is missing, does not ask: acceptRollback then says so. */
const agreed = async (at: StoreAt): Promise<boolean> => {
  const loss = await findLoss(at);
  if (loss === undefined) return true;
  explain(loss, at, tell);
  const yes = await confirmed('Go on without what is missing, for good?');
  if (!yes) tell('Nothing was accepted.');
  return yes;
};

interface RestoreOptions extends PlaceOptions {
  readonly accept?: string;
  readonly yes?: true;
}

const restore = async (options: RestoreOptions): Promise<number> => {
  const at = findStore(options);
  if (options.accept !== undefined) {
    const reason = checkedReason(options.accept);
    if (options.yes !== true && !(await agreed(at))) return EXIT_FAILED;
    const accepted = await accept(at, reason);
    if (options.json) sayJson({ accepted: true, ...accepted });
    else say(`Accepted: ${count(accepted.lost, 'record')} lost. The new log ${accepted.log} records this.`);
    return 0;
  }
  const loss = await findLoss(at);
  if (options.json) sayJson({ rolled_back: loss !== undefined, ...loss });
  else if (loss === undefined) say('The store has everything that was signed: there is nothing to accept.');
  else {
    explain(loss, at, say);
    say();
    say('Put the newer store back if there is one. If not, accept the loss:');
    say('  colibri restore --accept "<reason>"');
  }
  return loss === undefined ? 0 : ROLLED_BACK;
};

export const restoreCommand = (): Command =>
  storeCommand('restore', 'show what is missing in a store that was set back, or accept the loss', AFTER, restore)
    .option('--accept <reason>', 'go on without what is missing; the reason is recorded')
    .option('--yes', 'do not ask');
