// `colibri restore`: shows where a store contradicts its signed heads (it is older, it lacks a log, it was deleted and begun anew, it is a
// copy), and records that a person accepts that.
import type { Command } from 'commander';
import { EXIT_FAILED } from '../core/exit-codes.js';
import { count } from '../core/figures.js';
import { acceptBinding, acceptRollback } from '../ledger/accept.js';
import { type Binding, bindingOf, copyText, earlierStoreText } from '../ledger/binding.js';
import { lostLogs } from '../ledger/lost-logs.js';
import type { AcceptRecord } from '../proof/records.js';
import { asName } from '../redact/redact.js';
import type { ReadTx, Store } from '../store/store.js';
import { readingStore, writingStore } from './access.js';
import { checkedReason, confirmed } from './confirm.js';
import { findStore, logOptions, type PlaceOptions, type StoreAt } from './place.js';
import { recordTime } from './records/log-repository.js';
import { logInfo } from './records/record-repository.js';
import { storeCommand } from './run.js';
import { paint, plain, say, sayJson, tell } from './screen/print.js';
import { signLog } from './signing.js';
import { wrong } from './target.js';

const AFTER = `
A log only grows, and it is in one store. If the store is older than what was
signed (a backup was put back, a virtual machine reset), if a signed log is not
in it, or if it is a copy beside the original, nothing is recorded until a
person decides: put the right store back, or accept this one. After that, a
log that lacks signed records is followed by a new log, whose first record says
what is missing; a copy gets an id and a log of its own; a missing log is only
recorded as missing. \`colibri verify\` then says 10 for what is missing, not
20. A store that was deleted and begun anew can be used at once, but
\`colibri verify\` says 10 until a person accepts it.

  colibri restore                shows what is missing; changes nothing
  colibri restore --accept "disk replaced, backup of Monday"
                                 asks first; --yes does not ask

Exit codes: 0 nothing is missing, or accepted; 10 something is to be decided;
1 not accepted, or failed; 130 interrupted at the question, and nothing was
changed.`;

const EXIT_UNDECIDED = 10;

interface Loss {
  readonly log: string;
  readonly size: number;
  readonly known_size: number;
  readonly lost: number;
  readonly last_record_at: string | undefined;
}

/** The contradictions between the store and its signed heads, which a person may accept. */
interface Undecided {
  /** The logs that went back: several if machines share the store. */
  readonly losses: readonly Loss[];
  readonly binding: Binding;
}

const lastRecordAt = async (tx: ReadTx, log: string, size: number): Promise<string | undefined> =>
  recordTime(tx, ((await logInfo(tx, log))?.base ?? 0) + size - 1);

/** Finds what a person has to decide. In a copied store, lost records are not searched, because the original has them. */
const findUndecided = (at: StoreAt): Promise<Undecided> =>
  readingStore(at, (store) =>
    store.read(async (tx) => {
      const binding = await bindingOf(tx, at.heads, at.site);
      const losses: Loss[] = [];
      for (const { log, size, known } of binding.copyOf === undefined ? await lostLogs(tx, at) : []) {
        const lost = Math.max(0, known.size - size);
        losses.push({ log, size, known_size: known.size, lost, last_record_at: await lastRecordAt(tx, log, size) });
      }
      return { losses, binding };
    }),
  );

const isDecided = ({ losses, binding: { copyOf, missing, before } }: Undecided): boolean =>
  losses.length === 0 && copyOf === undefined && missing.length === 0 && before.length === 0;

type Write = (line: string) => void;

const explainLoss = (loss: Loss, at: StoreAt, write: Write): void => {
  const { log, size, known_size, lost, last_record_at } = loss;
  write(paint('yellow', 'The store is older than its signed heads.'));
  write(`store   ${plain(at.path)}`);
  write(`log     ${log}`);
  write(`here    ${count(size, 'record')}, the last of ${plain(last_record_at ?? 'an unknown time')}`);
  write(`signed  ${count(known_size, 'record')} (head in ${plain(at.headsDir)})`);
  write(
    lost > 0
      ? `missing ${count(lost, 'record')}, at least`
      : 'The records in this store are not those that were signed.',
  );
};

const explainMissing = ({ missing }: Binding, at: StoreAt, write: Write): void => {
  if (missing.length === 0) return;
  write(paint('yellow', 'This store lacks logs that were signed in it.'));
  write(`store   ${plain(at.path)}`);
  for (const { log, size } of missing) write(`missing log ${log}, ${count(size, 'record')} signed`);
};

const explain = ({ losses, binding }: Undecided, at: StoreAt, write: Write): void => {
  const earlier = earlierStoreText(binding);
  if (binding.copyOf !== undefined) write(paint('yellow', plain(copyText(binding.copyOf))));
  for (const loss of losses) explainLoss(loss, at, write);
  explainMissing(binding, at, write);
  if (earlier !== undefined) write(paint('yellow', plain(earlier)));
};

const advise = (): void => {
  say();
  say('Put the store back that has these records, if there is one. If not, accept the store as it is:');
  say('  colibri restore --accept "<reason>"');
};

/** One contradiction that was accepted, the log that records it, and how many signed records are lost with it. */
interface Step {
  readonly what: AcceptRecord['what'] | 'rollback';
  readonly log: string;
  readonly lost: number;
}

const acceptOne = async (at: StoreAt, store: Store, reason: string): Promise<Step | undefined> => {
  const options = logOptions(at, store);
  const { isCopy, lost } = await store.read(async (tx) => ({
    isCopy: (await bindingOf(tx, at.heads, at.site)).copyOf !== undefined,
    lost: await lostLogs(tx, at),
  }));
  if (!isCopy && lost.length > 0) return { what: 'rollback', ...(await acceptRollback(options, reason)) };
  const accepted = await acceptBinding(options, { reason, by: asName(at.user) });
  if (accepted === undefined) return undefined;
  const { what, log, logs } = accepted;
  return { what, log, lost: what === 'missing log' ? logs.reduce((sum, { size }) => sum + size, 0) : 0 };
};

/** Accepts one contradiction after the other, and signs the record of each at once: what is not signed counts as not accepted. */
const accept = (at: StoreAt, reason: string): Promise<Step[]> =>
  writingStore(
    at,
    async (store) => {
      const steps: Step[] = [];
      for (let step = await acceptOne(at, store, reason); step; step = await acceptOne(at, store, reason)) {
        steps.push(step);
        const { unpublished } = await signLog(at, store, step.log);
        if (unpublished !== undefined && step.what !== 'rollback') throw unpublished;
      }
      return steps;
    },
    { accepts: true },
  );

/** True if the person agrees: accepting is for good. If there is nothing to accept, does not ask. */
const agreed = async (at: StoreAt): Promise<boolean> => {
  const undecided = await findUndecided(at);
  if (isDecided(undecided)) return true;
  explain(undecided, at, tell);
  const yes = await confirmed('Accept for good what is shown above?');
  if (!yes) tell('Nothing was accepted.');
  return yes;
};

const ACCEPTED: Readonly<Record<Step['what'], (step: Step) => string>> = {
  rollback: ({ lost, log }) => `${count(lost, 'record')} lost. The new log ${log} records this.`,
  'missing log': ({ lost, log }) => `${count(lost, 'signed record')} of missing logs lost. Log ${log} records this.`,
  'begun anew': ({ log }) => `the store that was here before is given up. Log ${log} records this.`,
  copy: ({ log }) => `this copy is a store of its own now. The new log ${log} records this.`,
};

const nothing = (): Error =>
  wrong('The store has everything that was signed: there is nothing to accept.', 'colibri verify checks it.');

const asJson = ({ losses: [loss, ...others], binding: { missing, before, backups, copyOf } }: Undecided): object => ({
  rolled_back: loss !== undefined || missing.length > 0,
  ...loss,
  ...(others.length > 0 && { others }),
  ...(missing.length > 0 && { missing }),
  ...(before.length > 0 && { begun_anew: before, backups }),
  ...(copyOf !== undefined && { copy_of: copyOf }),
});

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
    const steps = await accept(at, reason);
    const last = steps.at(-1);
    if (last === undefined) throw nothing();
    const lost = steps.reduce((sum, step) => sum + step.lost, 0);
    if (options.json) sayJson({ accepted: true, log: last.log, lost, steps });
    else for (const step of steps) say(`Accepted: ${ACCEPTED[step.what](step)}`);
    return 0;
  }
  const undecided = await findUndecided(at);
  if (options.json) sayJson(asJson(undecided));
  else if (isDecided(undecided)) say('The store has everything that was signed: there is nothing to accept.');
  else {
    explain(undecided, at, say);
    advise();
  }
  return isDecided(undecided) ? 0 : EXIT_UNDECIDED;
};

export const restoreCommand = (): Command =>
  storeCommand(
    'restore',
    'show what is missing in a store that was set back, copied or begun anew, or accept it',
    AFTER,
    restore,
  )
    .option('--accept <reason>', 'accept the store as it is; the reason is recorded')
    .option('--yes', 'do not ask');
