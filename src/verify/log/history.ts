// Collects what records say about their log: how the log began and ended, boots of the machine, erasures, gaps.

import { LEDGER_LIMITS } from '../../ledger/limits.js';
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import { prunedBy, type StoredPrune } from '../evidence/prune-record.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader } from '../reading.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import { type BesideNotes, type Lacking, standingsIn } from './beside-check.js';
import { isBinding } from './kinds.js';
import { explanationsIn, recordsWithoutPayload } from './ledger-repository.js';
import { wantsPayload } from './payload-check.js';
import { newRanges, type Ranges } from './ranges.js';

export type HistoryRun = readonly [number, number];

export interface LogHistory {
  last: JsonObject | undefined;
  /** The node (machine and user) that the log's first boot record names. */
  node: unknown;
  gaps: number;
  openCalls: number;
  unknownKinds: number;
  /**
   * The id of the machine's last boot that a record names, and how many Colibri processes started since that boot and have no shutdown
   * record.
   */
  machine: { readonly boot: string; up: number } | undefined;
  /** The numbers of `boot` records which show that the machine was restarted while Colibri processes were running. */
  readonly wentDown: number[];
  readonly absent: HistoryRun[];
  /** The log's `erase` and `prune` records. */
  readonly removals: JsonObject[];
  /** The log's `migrate` records, and the number of its `rotate` record. */
  readonly migrations: JsonObject[];
  rotatedAt: number | undefined;
  /**
   * The logs that the migration to format 5 names because they are older than the store's id, with their sizes then. `isListFull`: the
   * list may continue in another record.
   */
  readonly listed: Map<string, number>;
  isListFull: boolean;
  /** The ids of stores that migrations name; `undefined` is among them if a migration to format 5 names none. */
  readonly storeIds: Set<unknown>;
  /** The size of each other log when this log named it last. Compared with the table `beside` and emptied once this log was read. */
  readonly named: Map<string, number>;
  readonly lacking: Map<string, Lacking>;
  /** The number of the first of the log's `migrate` records that were written together last. */
  migratedFrom: number;
  /** The number of the log's last record in the form of format 4, with the member `change`; -1 if there is none. */
  lastOldChange: number;
  /** How many records before the log's first record of format 5 no signature covered, as that record says. */
  adopted: number;
}

export const newHistory = (): LogHistory => ({
  last: undefined,
  node: undefined,
  gaps: 0,
  openCalls: 0,
  unknownKinds: 0,
  machine: undefined,
  wentDown: [],
  absent: [],
  removals: [],
  migrations: [],
  rotatedAt: undefined,
  listed: new Map(),
  isListFull: false,
  storeIds: new Set(),
  named: new Map(),
  lacking: new Map(),
  migratedFrom: 0,
  lastOldChange: -1,
  adopted: 0,
});

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';

const noteBoot = (history: LogHistory, { machine_boot: boot, node, seq }: JsonObject): void => {
  history.node ??= node;
  if (!isString(boot)) return;
  const { machine } = history;
  if (machine?.boot === boot) machine.up += 1;
  else {
    if (machine !== undefined && machine.up > 0 && isNumber(seq)) history.wentDown.push(seq);
    history.machine = { boot, up: 1 };
  }
};

const noteMigration = (history: LogHistory, body: JsonObject): void => {
  if (body.store !== undefined || isBinding(body)) history.storeIds.add(body.store);
  const isNext = Number(history.migrations.at(-1)?.seq) === Number(body.seq) - 1;
  if (!isNext) history.migratedFrom = Number(body.seq);
  history.migrations.push(body);
};

/**
 * Notes the logs that a migration record names. If its list is full, it continues in the log's next `beside` records, until one of them
 * is not full.
 */
const noteListed = (history: LogHistory, body: JsonObject): void => {
  if (body.kind === 'migrate') noteMigration(history, body);
  const isList = isBinding(body) || (body.kind === 'beside' && history.isListFull);
  if (!isList) return;
  const named = standingsIn(body);
  for (const { log, size } of named) history.listed.set(log, size);
  history.isListFull = named.length >= LEDGER_LIMITS.logsPerRecord;
};

/** Adds what a range of records says about the sizes of other logs. */
export const noteBesides = ({ named, lacking }: LogHistory, more: Pick<BesideNotes, 'named' | 'lacking'>): void => {
  for (const [log, size] of more.named) named.set(log, size);
  for (const [log, one] of more.lacking) if ((lacking.get(log)?.size ?? -1) < one.size) lacking.set(log, one);
};

export const noteRecord = (history: LogHistory, body: JsonObject): void => {
  history.last = body;
  noteListed(history, body);
  if (body.kind === 'boot') noteBoot(history, body);
  if (body.kind === 'shutdown' && history.machine !== undefined) history.machine.up -= 1;
  if (body.kind === 'erase' || body.kind === 'prune') history.removals.push(body);
  if (body.kind === 'rotate' && isNumber(body.seq)) history.rotatedAt ??= body.seq;
  if (body.kind === 'gap' && isNumber(body.count)) history.gaps += body.count;
  if (isNumber(body.adopted)) history.adopted += body.adopted;
};

/** The contents that may be missing, because a record says that they were erased or pruned. */
export interface Explained {
  /** The payloads (stored arguments) that were erased, each as `<log>/<seq>` of its record. */
  readonly erased: Set<string>;
  /** For each log, the numbers of the records whose payload was pruned. */
  readonly pruned: Map<string, Ranges>;
  /** How many contents of any kind were erased or pruned. */
  count: number;
}

export const noExplanation = (): Explained => ({ erased: new Set(), pruned: new Map(), count: 0 });

const noteErase = (explained: Explained, targets: readonly unknown[]): void => {
  explained.count += targets.length;
  for (const target of targets.filter(isObject)) {
    if (target.type === 'payload' && isString(target.id)) explained.erased.add(target.id);
  }
};

const notePrune = ({ pruned }: Explained, { log, from, to }: StoredPrune): void => {
  const ranges = pruned.get(log) ?? newRanges();
  ranges.add(from, to);
  pruned.set(log, ranges);
};

export const noteExplanation = (explained: Explained, body: JsonObject): void => {
  if (body.kind === 'erase' && Array.isArray(body.targets)) noteErase(explained, body.targets);
  const taken = body.kind === 'prune' ? prunedBy(body) : undefined;
  if (taken === undefined) return;
  notePrune(explained, taken);
  if (isNumber(body.count)) explained.count += body.count;
};

/**
 * Reads `erase` and `prune` records outside the checked ranges: those recorded during this verification, whose payloads may already be
 * gone, and those that are not checked because a head that the user trusts covers them, which may be about payloads of another log.
 */
export const otherExplanations = (
  reader: StoreReader,
  stretches: readonly { from: number; to: number }[],
): JsonObject[] =>
  stretches.flatMap(({ from, to }) =>
    reader
      .snapshot((tx) => explanationsIn(tx, from, to))
      .map(parsedObject)
      .filter((body) => body !== undefined),
  );

/** Of the record numbers `seqs`, those whose payload is missing although no record says that it was erased or pruned. */
export const unexplained = (explained: Explained, log: string, seqs: readonly number[]): readonly number[] =>
  seqs.filter((seq) => !explained.erased.has(`${log}/${seq}`) && !isPruned(explained, log, [seq, seq]));

/** Whether every payload of a run of missing payloads was pruned. */
export const isPruned = ({ pruned }: Explained, log: string, [from, to]: HistoryRun): boolean =>
  pruned.get(log)?.covers(from, to) === true;

/** Record numbers of the missing payloads in a run; records between the ends of the run may never have had a payload. */
export const absencesIn = (
  reader: StoreReader,
  { log, base, run }: { log: string; base: number; run: HistoryRun },
): number[] =>
  reader
    .snapshot((tx) => recordsWithoutPayload(tx, log, base + run[0], base + run[1] + 1))
    .filter(({ body }) => wantsPayload(parsedObject(body) ?? {}))
    .map(({ seq }) => seq);

export const addAbsences = (history: LogHistory, runs: readonly HistoryRun[], log: string, found: Found): void => {
  for (const run of runs) {
    if (history.absent.length < VERIFY_LIMITS.verifyAbsences) history.absent.push(run);
    else addFinding(found, 'payload', { log, seq: run[0], table: 'payloads' }, 'The arguments are missing.');
  }
};
