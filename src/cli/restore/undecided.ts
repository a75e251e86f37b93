// Finds where a store contradicts its signed heads (it is older, it lacks a log, it was deleted and begun anew, it is a copy), says so in
// sentences, and records that a person accepts it.
import { count } from '../../core/figures.js';
import { acceptBinding, acceptRollback } from '../../ledger/accept.js';
import { type Binding, bindingOf, copyText, earlierStoreText } from '../../ledger/binding.js';
import { lostLogs } from '../../ledger/lost-logs.js';
import type { AcceptRecord } from '../../proof/records.js';
import { asName } from '../../redact/redact.js';
import type { ReadTx, Store } from '../../store/store.js';
import { readingStore, writingStore } from '../access.js';
import { logOptions, type StoreAt } from '../place.js';
import { recordTime } from '../records/log-repository.js';
import { logInfo } from '../records/record-repository.js';
import { paint, plain } from '../screen/print.js';
import { signLog } from '../signing.js';

interface Loss {
  readonly log: string;
  readonly size: number;
  readonly known_size: number;
  readonly lost: number;
  readonly last_record_at: string | undefined;
}

/** The contradictions between the store and its signed heads, which a person may accept. */
export interface Undecided {
  /** The logs that went back: several if machines share the store. */
  readonly losses: readonly Loss[];
  readonly binding: Binding;
}

const lastRecordAt = async (tx: ReadTx, log: string, size: number): Promise<string | undefined> =>
  recordTime(tx, ((await logInfo(tx, log))?.base ?? 0) + size - 1);

/** Finds what a person has to decide. In a copied store, lost records are not searched, because the original has them. */
export const findUndecided = (at: StoreAt): Promise<Undecided> =>
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

export const isDecided = ({ losses, binding: { copyOf, missing, before } }: Undecided): boolean =>
  losses.length === 0 && copyOf === undefined && missing.length === 0 && before.length === 0;

/** Prints a line, on stdout or stderr. */
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

export const explainUndecided = ({ losses, binding }: Undecided, at: StoreAt, write: Write): void => {
  const earlier = earlierStoreText(binding);
  if (binding.copyOf !== undefined) write(paint('yellow', plain(copyText(binding.copyOf))));
  for (const loss of losses) explainLoss(loss, at, write);
  explainMissing(binding, at, write);
  if (earlier !== undefined) write(paint('yellow', plain(earlier)));
};

export const undecidedJson = ({
  losses: [loss, ...others],
  binding: { missing, before, backups, copyOf },
}: Undecided): object => ({
  rolled_back: loss !== undefined || missing.length > 0,
  ...loss,
  ...(others.length > 0 && { others }),
  ...(missing.length > 0 && { missing }),
  ...(before.length > 0 && { begun_anew: before, backups }),
  ...(copyOf !== undefined && { copy_of: copyOf }),
});

/** One contradiction that was accepted, the log that records it, and how many signed records are lost with it. */
export interface AcceptedStep {
  readonly what: AcceptRecord['what'] | 'rollback';
  readonly log: string;
  readonly lost: number;
}

const acceptOne = async (at: StoreAt, store: Store, reason: string): Promise<AcceptedStep | undefined> => {
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
export const acceptAll = (at: StoreAt, reason: string): Promise<AcceptedStep[]> =>
  writingStore(
    at,
    async (store) => {
      const steps: AcceptedStep[] = [];
      for (let step = await acceptOne(at, store, reason); step; step = await acceptOne(at, store, reason)) {
        steps.push(step);
        const { unpublished } = await signLog(at, store, step.log);
        if (unpublished !== undefined && step.what !== 'rollback') throw unpublished;
      }
      return steps;
    },
    { accepts: true },
  );

const ACCEPTED: Readonly<Record<AcceptedStep['what'], (step: AcceptedStep) => string>> = {
  rollback: ({ lost, log }) => `${count(lost, 'record')} lost. The new log ${log} records this.`,
  'missing log': ({ lost, log }) => `${count(lost, 'signed record')} of missing logs lost. Log ${log} records this.`,
  'begun anew': ({ log }) => `the store that was here before is given up. Log ${log} records this.`,
  copy: ({ log }) => `this copy is a store of its own now. The new log ${log} records this.`,
};

/** Says what was accepted, and which log records it. */
export const acceptedText = (step: AcceptedStep): string => `Accepted: ${ACCEPTED[step.what](step)}`;
