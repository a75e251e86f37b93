// colibri restore
import { Command } from 'commander';
import { EXIT_FAILED } from '../core/exit-codes.js';
import { count } from '../core/figures.js';
import { type Accepted, acceptRollback, lostLogs } from '../ledger/open.js';
import { readingStore, writingStore } from './access.js';
import { confirmed } from './confirm.js';
import { findStore, logOptions, type PlaceOptions, type StoreAt, withPlace } from './place.js';
import { checkedReason } from './reason.js';
import { lastRecordAt } from './records/record-repository.js';
import { running } from './run.js';
import { oneLine, paint, plain, say, sayJson, tell } from './screen/print.js';
import { signLog } from './signing.js';

const AFTER = `
A log never goes back. Where the store is older than what was signed (a backup
was put back, a folder copied, a virtual machine reset), nothing is recorded
until a person decides: put the newer store back, or accept the loss. Accepting
closes the log and opens a new one whose first record says what is missing;
\`colibri verify\` then says 10, not 20.

  colibri restore                what is missing; changes nothing
  colibri restore --accept "disk replaced, backup of Monday"
                                 asks first; --yes where nobody can be asked

Exit codes: 0 nothing is missing, or accepted; 10 the store went back; 1 not
accepted, or failed; 130 interrupted at the question, and nothing was changed.`;

const ROLLED_BACK = 10;

interface Loss {
  readonly log: string;
  readonly size: number;
  readonly known_size: number;
  readonly lost: number;
  readonly last_record_at: string | undefined;
}

/** What was signed and is not here; undefined where the store has everything. The first log, where there are several. */
const look = (at: StoreAt): Promise<Loss | undefined> =>
  readingStore(at, (store) =>
    store.read(async (tx) => {
      const [gone] = await lostLogs(tx, at.heads);
      if (gone === undefined) return undefined;
      const { log, size, known } = gone;
      const lost = Math.max(0, known.size - size);
      return { log, size, known_size: known.size, lost, last_record_at: await lastRecordAt(tx, log) };
    }),
  );

const explain = (
  { log, size, known_size, lost, last_record_at }: Loss,
  at: StoreAt,
  write: (line: string) => void,
): void => {
  write(paint('yellow', 'The store is older than it was.'));
  write(`store   ${at.path}`);
  write(`log     ${log}`);
  write(`here    ${count(size, 'record')}, the last of ${plain(last_record_at ?? 'an unknown time')}`);
  write(`signed  ${count(known_size, 'record')} (head in ${at.headsDir})`);
  write(lost > 0 ? `missing ${count(lost, 'record')}, at least` : 'The records here are not those that were signed.');
};

const advise = (): void => {
  say();
  say('Put the newer store back if there is one. If not, accept the loss:');
  say('  colibri restore --accept "<reason>"');
};

/** A machine that got another name may have several logs that went back together. */
const accept = async (at: StoreAt, reason: string): Promise<Accepted> => {
  const { accepted, more } = await writingStore(at, async (store) => {
    const accepted = await acceptRollback(logOptions(at, store), reason);
    const { unpublished } = await signLog(at, store, accepted.log);
    if (unpublished !== undefined) tell(`colibri: ${oneLine(unpublished)}`);
    return { accepted, more: await store.read((tx) => lostLogs(tx, at.heads)) };
  });
  if (more.length === 0) return accepted;
  const { log, lost } = await accept(at, reason);
  return { log, lost: accepted.lost + lost };
};

/** It closes a log for good. Where nothing is missing there is nothing to ask: accepting says so. */
const agreed = async (at: StoreAt): Promise<boolean> => {
  const loss = await look(at);
  if (loss === undefined) return true;
  explain(loss, at, tell);
  const yes = await confirmed('Go on without what is missing, for good?');
  if (!yes) tell('Nothing was accepted.');
  return yes;
};

interface RestoreOptions extends PlaceOptions {
  readonly accept?: string;
  readonly yes?: true;
  readonly json?: true;
}

const restore = async (options: RestoreOptions): Promise<number> => {
  const at = findStore(options);
  if (options.accept !== undefined) {
    const reason = checkedReason(options.accept);
    if (options.yes !== true && !(await agreed(at))) return EXIT_FAILED;
    const accepted = await accept(at, reason);
    if (options.json) sayJson({ accepted: true, ...accepted });
    else say(`Accepted: ${count(accepted.lost, 'record')} lost. Log ${accepted.log} goes on and says so.`);
    return 0;
  }
  const loss = await look(at);
  if (options.json) sayJson({ rolled_back: loss !== undefined, ...loss });
  else if (loss === undefined) say('The store has everything that was signed: there is nothing to accept.');
  else {
    explain(loss, at, say);
    advise();
  }
  return loss === undefined ? 0 : ROLLED_BACK;
};

export const restoreCommand = (): Command =>
  withPlace(new Command('restore'))
    .description('a store that went back: see what is missing, or accept it')
    .option('--accept <reason>', 'go on without what is missing; the reason is recorded')
    .option('--yes', 'do not ask')
    .addHelpText('after', AFTER)
    .action(running(restore));
