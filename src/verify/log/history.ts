// Collects, stretch by stretch, what records say about their log: how it began and ended, boots of the machine, erasures, gaps.

import { isObject, type JsonObject, parsedObject } from '../../proof/json-object.js';
import { prunedBy, type StoredPrune } from '../evidence/prune-record.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReader } from '../reading.js';
import { addFinding, type Found } from '../verdict/finding-list.js';
import { explanationsIn, recordsWithoutPayload } from './ledger-repository.js';
import { wantsPayload } from './payload-check.js';
import { newRanges, type Ranges } from './ranges.js';

export type HistoryRun = readonly [number, number];

export interface LogHistory {
  last: JsonObject | undefined;
  /** The node in its first boot record. */
  node: unknown;
  gaps: number;
  openCalls: number;
  unknownKinds: number;
  /** The machine's last boot, and how many instances started since then without a shutdown record. */
  machine: { readonly boot: string; up: number } | undefined;
  /** The boot records after which the machine had restarted although instances had not ended. */
  readonly wentDown: number[];
  readonly absent: HistoryRun[];
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

export const noteRecord = (history: LogHistory, body: JsonObject): void => {
  history.last = body;
  if (body.kind === 'boot') noteBoot(history, body);
  if (body.kind === 'shutdown' && history.machine !== undefined) history.machine.up -= 1;
  if (body.kind === 'gap' && isNumber(body.count)) history.gaps += body.count;
};

/** The contents that may be missing because a record says that they were erased or pruned. */
export interface Explained {
  /** `<log>/<seq>` of payloads that were erased. */
  readonly erased: Set<string>;
  /** Places of payloads that were pruned, by log. */
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
 * `erase` and `prune` records outside the checked ranges: those recorded during this verification, whose payloads may already
 * be gone, and those below a trusted head, which may be about payloads of another log.
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

/** The payloads among these that no record says were erased or pruned. */
export const unexplained = (explained: Explained, log: string, seqs: readonly number[]): readonly number[] =>
  seqs.filter((seq) => !explained.erased.has(`${log}/${seq}`) && !isPruned(explained, log, [seq, seq]));

/** Whether a whole run of missing payloads was pruned. */
export const isPruned = ({ pruned }: Explained, log: string, [from, to]: HistoryRun): boolean =>
  pruned.get(log)?.covers(from, to) === true;

/** The payloads of a run that are missing; records between its ends may never have had one. */
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
