// Checks the counts in `prune` records. Each says how many payloads (stored arguments) were removed from a range of records. The count
// must be the number of records in the range that had a payload, without payloads that had been removed before.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Acceptances } from '../accepted.js';
import { erasedBy } from '../evidence/erasures.js';
import { prunedBy } from '../evidence/prune-record.js';
import type { Executor } from '../executor.js';
import { addFinding } from '../verdict/finding-list.js';
import type { LogWalk } from './log-walk.js';
import { newRanges, type Ranges, type RecordRange } from './ranges.js';

/**
 * The payloads of one log that were removed so far: ranges of records that were pruned, and numbers of records whose payload was erased.
 */
interface Removed {
  readonly pruned: Ranges;
  readonly erased: Set<number>;
}

const PAYLOAD = /^([0-9a-f]{32})\/(\d{1,10})$/;

/** The payloads that the `prune` and `erase` records of one log removed, grouped by the log that had the payloads. */
class Removals {
  readonly #of = new Map<string, Removed>();

  of(log: string): Removed {
    const removed = this.#of.get(log) ?? { pruned: newRanges(), erased: new Set<number>() };
    this.#of.set(log, removed);
    return removed;
  }

  has(log: string): boolean {
    return this.#of.has(log);
  }

  note(body: JsonObject): void {
    const pruned = body.kind === 'prune' ? prunedBy(body) : undefined;
    if (pruned !== undefined) this.of(pruned.log).pruned.add(pruned.from, pruned.to);
    for (const id of body.kind === 'erase' ? erasedBy(body, 'payload') : []) {
      const [, log, seq] = PAYLOAD.exec(id) ?? [];
      if (log !== undefined) this.of(log).erased.add(Number(seq));
    }
  }
}

const isIn = (ranges: readonly RecordRange[], seq: number): boolean =>
  ranges.some(({ from, to }) => seq >= from && seq <= to);

interface PruneCheck {
  readonly executor: Executor;
  readonly walks: readonly LogWalk[];
  readonly accepted: Acceptances;
  /** The payloads that all `prune` and `erase` records of each log removed. */
  readonly all: ReadonlyMap<LogWalk, Removals>;
}

const checkPrune = async (check: PruneCheck, walk: LogWalk, body: JsonObject, before: Removals): Promise<void> => {
  const { executor, walks, accepted, all } = check;
  const pruned = prunedBy(body);
  const target = walks.find(({ state }) => state.log === pruned?.log);
  if (pruned !== undefined && target === undefined && !accepted.missing.has(pruned.log)) {
    const at = { log: walk.state.log, seq: Number(body.seq), table: 'payloads' };
    addFinding(
      walk.found,
      'payload',
      at,
      `The record says that payloads of log ${pruned.log}, which is not here, were pruned.`,
    );
  }
  if (pruned === undefined || target === undefined || target.trusted > 0) return;
  const { pruned: gone, erased } = before.of(pruned.log);
  const ranges = gone.gaps(pruned.from, pruned.to);
  const kept = await executor.run('keeping', { base: target.state.base, ranges });
  const most = kept - [...erased].filter((seq) => isIn(ranges, seq)).length;
  // Records of other logs may say that payloads of the log `pruned.log` were removed too. Nobody knows whether that was before or after
  // this record was written; then the count in this record may also be lower than `most`.
  const isExact = walks.every((other) => other === walk || all.get(other)?.has(pruned.log) !== true);
  if (isExact ? body.count === most : Number(body.count) <= most) return;
  const where = { log: walk.state.log, seq: Number(body.seq), table: 'payloads' };
  addFinding(
    walk.found,
    'payload',
    where,
    `The record says that ${String(body.count)} payloads were pruned; there were ${most}.`,
  );
};

/**
 * Checks the counts of all `prune` records. To be called when all records were read. Logs whose first records were not read are skipped.
 */
export const checkPrunes = async (
  executor: Executor,
  walks: readonly LogWalk[],
  accepted: Acceptances,
): Promise<void> => {
  if (!walks.some(({ history }) => history.removals.some(({ kind }) => kind === 'prune'))) return;
  const all = new Map<LogWalk, Removals>();
  for (const walk of walks) {
    const removals = new Removals();
    for (const body of walk.history.removals) removals.note(body);
    all.set(walk, removals);
  }
  for (const walk of walks.filter(({ trusted }) => trusted === 0)) {
    const before = new Removals();
    for (const body of walk.history.removals) {
      if (body.kind === 'prune') await checkPrune({ executor, walks, accepted, all }, walk, body, before);
      before.note(body);
    }
  }
};
