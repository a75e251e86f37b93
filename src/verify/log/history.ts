// Collects what records say about their log: how the log began and ended, boots of the machine, erasures, gaps.

import { LEDGER_LIMITS } from '../../ledger/limits.js';
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import { prunedBy, type StoredPrune } from '../evidence/prune-record.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader } from '../reading.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import { type BesideNotes, type Lacking, standingsIn } from './beside-check.js';
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
   * The logs that a migration record names because they are older than the store's id. `isListFull`: the list may continue in another
   * record.
   */
  readonly listed: Set<string>;
  isListFull: boolean;
  /** The ids of stores that migrations name; `undefined` is among them if a migration to format 5 names none. */
  readonly storeIds: Set<unknown>;
  /** The size of each other log when this log named it last. Compared with the table `beside` and emptied once this log was read. */
  readonly named: Map<string, number>;
  readonly lacking: Map<string, Lacking>;
  /** The logs and their sizes before the migration to format 5, if this log has the record of that migration. */
  readonly migrated: { readonly log: unknown; readonly size: unknown }[];
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
  listed: new Set(),
  isListFull: false,
  storeIds: new Set(),
  named: new Map(),
  lacking: new Map(),
  migrated: [],
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

/** The version of the schema in which a store has an id. */
const BOUND_VERSION = 5;

/** Whether a migration gave the store its id. */
const bindsStore = ({ from, to }: JsonObject): boolean => Number(from) < BOUND_VERSION && Number(to) >= BOUND_VERSION;

/**
 * Notes the logs that a migration record names. If its list is full, it continues in the log's next `beside` records, until one of them
 * is not full.
 */
const noteListed = (history: LogHistory, body: JsonObject): void => {
  if (body.kind === 'migrate' && (body.store !== undefined || bindsStore(body))) history.storeIds.add(body.store);
  if (body.kind !== 'migrate' && !(body.kind === 'beside' && history.isListFull)) return;
  const named = standingsIn(body);
  for (const { log } of named) history.listed.add(log);
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
  if (body.kind === 'migrate') history.migrations.push(body);
  if (body.kind === 'rotate' && isNumber(body.seq)) history.rotatedAt ??= body.seq;
  if (body.kind === 'gap' && isNumber(body.count)) history.gaps += body.count;
  if (body.kind === 'migrate' && Array.isArray(body.logs)) {
    history.migrated.push(...body.logs.filter(isObject).map(({ log, size }) => ({ log, size })));
  }
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
