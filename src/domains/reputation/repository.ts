// The SQL that reads the derived tables of reputation. What is read of one node does not grow with the log: its days are added up by the
// database, to one row for each weight.
import { REPUTATION_DOMAINS, type ReputationDomain } from '../../proof/credits.js';
import type { ReadTx } from '../../store/store.js';
import { type DaySums, HALF_LIFE_DAYS, WEIGHTLESS_DAYS } from './score.js';

/** The sums of one node in one domain: of days, or of all days that weigh the same, as those of the newest of them. */
export interface DomainDays {
  readonly days: readonly DaySums[];
  readonly successes: number;
  readonly failures: number;
  readonly last: number;
}

type Sums<K> = DaySums & { readonly key: K; readonly last: number };

const grouped = <K>(rows: readonly Sums<K>[]): ReadonlyMap<K, DomainDays> => {
  const found = new Map<K, DomainDays & { days: DaySums[] }>();
  for (const { key, day, successes, failures, last } of rows) {
    const before = found.get(key) ?? { days: [], successes: 0, failures: 0, last };
    before.days.push({ day, successes, failures });
    found.set(key, {
      days: before.days,
      successes: before.successes + successes,
      failures: before.failures + failures,
      last: Math.max(before.last, last),
    });
  }
  return found;
};

const OLDEST = WEIGHTLESS_DAYS / HALF_LIFE_DAYS;

/** The sums are one text, so that each range of days is read once. Grouping by weight instead would make the database sort all days. */
const SUMS_OF_NODE = `WITH RECURSIVE ages (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM ages WHERE n < ${OLDEST}),
  spans AS (SELECT n, CAST(? AS BIGINT) - ${HALF_LIFE_DAYS} * n AS newest FROM ages),
  domains (domain) AS (VALUES ${REPUTATION_DOMAINS.map((domain) => `('${domain}')`).join(', ')}),
  sums AS (SELECT domain, n, newest, (SELECT SUM(r.successes) || ' ' || SUM(r.failures) || ' ' || MAX(r.day) FROM reputation_days r
    WHERE r.node_id = ? AND r.domain = domains.domain
      AND r.day >= CASE n WHEN ${OLDEST} THEN 0 ELSE newest - ${HALF_LIFE_DAYS - 1} END
      AND r.day <= CASE n WHEN 0 THEN ${Number.MAX_SAFE_INTEGER} ELSE newest END) AS said FROM domains, spans)
  SELECT domain, newest AS day, said FROM sums WHERE said IS NOT NULL`;

/** What is known of a node, by domain, for that day. */
export const daysOfNode = async (
  tx: ReadTx,
  node: string,
  today: number,
): Promise<ReadonlyMap<ReputationDomain, DomainDays>> => {
  type Sums = { readonly domain: ReputationDomain; readonly day: number; readonly said: string };
  const rows = await tx.all<Sums>(SUMS_OF_NODE, today, node);
  return grouped(
    rows.map(({ domain, day, said }) => {
      const [successes = 0, failures = 0, last = 0] = said.split(' ').map(Number);
      return { key: domain, day, successes, failures, last };
    }),
  );
};

/** The days of all nodes in a domain, by node. */
export const daysOfDomain = async (tx: ReadTx, domain: ReputationDomain): Promise<ReadonlyMap<string, DomainDays>> => {
  const rows = await tx.all<DaySums & { readonly node_id: string }>(
    'SELECT node_id, day, successes, failures FROM reputation_days WHERE domain = ? ORDER BY day, node_id',
    domain,
  );
  return grouped(rows.map((row) => ({ ...row, key: row.node_id, last: row.day })));
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
