// The SQL that reads the derived tables of reputation. Every query reads an index range of one node, or one domain's recent days.
import type { ReputationDomain } from '../../proof/credits.js';
import type { ReadTx } from '../../store/store.js';
import type { DaySums } from './score.js';

/** The sums of the days of one node in one domain. */
export interface DomainDays {
  readonly days: readonly DaySums[];
  readonly successes: number;
  readonly failures: number;
  readonly last: number;
}

type DayRow = {
  readonly domain: ReputationDomain;
  readonly day: number;
  readonly successes: number;
  readonly failures: number;
};

const grouped = <K>(rows: readonly (DaySums & { readonly key: K })[]): ReadonlyMap<K, DomainDays> => {
  const found = new Map<K, DomainDays & { days: DaySums[] }>();
  for (const { key, day, successes, failures } of rows) {
    const before = found.get(key) ?? { days: [], successes: 0, failures: 0, last: day };
    before.days.push({ day, successes, failures });
    found.set(key, {
      days: before.days,
      successes: before.successes + successes,
      failures: before.failures + failures,
      last: Math.max(before.last, day),
    });
  }
  return found;
};

/** The days of a node, by domain. */
export const daysOfNode = async (tx: ReadTx, node: string): Promise<ReadonlyMap<ReputationDomain, DomainDays>> => {
  const rows = await tx.all<DayRow>(
    'SELECT domain, day, successes, failures FROM reputation_days WHERE node_id = ? ORDER BY domain, day',
    node,
  );
  return grouped(rows.map((row) => ({ ...row, key: row.domain })));
};

/** The days of all nodes in a domain, by node. */
export const daysOfDomain = async (tx: ReadTx, domain: ReputationDomain): Promise<ReadonlyMap<string, DomainDays>> => {
  const rows = await tx.all<Omit<DayRow, 'domain'> & { readonly node_id: string }>(
    'SELECT node_id, day, successes, failures FROM reputation_days WHERE domain = ? ORDER BY day, node_id',
    domain,
  );
  return grouped(rows.map((row) => ({ ...row, key: row.node_id })));
};

export type EventRow = {
  readonly at: string;
  readonly record: number;
  readonly place: number;
  readonly good: number;
  readonly why: string;
  readonly log_id: string | null;
  readonly seq: number | null;
};

/** Where a page of a history begins: after the event at this place of this record, or with the newest event. */
export interface HistoryPlace {
  readonly node: string;
  readonly domain: ReputationDomain;
  readonly after: { readonly at: string; readonly record: number; readonly place: number } | undefined;
}

/** The events of a node in a domain, the newest first, each with the record that it follows from. */
export const eventsAfter = (tx: ReadTx, { node, domain, after }: HistoryPlace, limit: number): Promise<EventRow[]> =>
  tx.all<EventRow>(
    `SELECT e.at, e.record, e.place, e.good, e.why, a.log_id, a.seq FROM reputation_events e LEFT JOIN actions a ON a.id = e.record
     WHERE e.node_id = ? AND e.domain = ? AND (e.at, e.record, e.place) < (?, ?, ?)
     ORDER BY e.at DESC, e.record DESC, e.place DESC LIMIT ?`,
    ...[node, domain, after?.at ?? '~', after?.record ?? 0, after?.place ?? 0, limit],
  );
