// Checks the derived tables of reputation: every event must be what its record says at that place, and the sums of each day must be those of
// the events. That no event is missing follows from their number (log/scored.ts counts those that records say). Written from docs/reputation.md, and not from the
// code that writes the tables.
import { isObject, type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import { VERIFY_LIMITS } from '../limits.js';
import type { StoreReading } from '../reading.js';
import type { Finding } from '../verdict/finding.js';
import { recordPlace, reputationSums, type StoredRow } from './evidence-repository.js';
import { sayPointer, shown } from './pointer.js';
import type { Walked } from './walk.js';

/** What an event says besides its record: node, domain, success or failure, reason. */
export interface SaidEvent {
  readonly node: string;
  readonly domain: string;
  readonly good: number;
  readonly why: string;
}

const GOOD_ENDS = ['result', 'is_error', 'error'];
const BAD_ENDS = ['timeout', 'lost', 'server_error'];

const COUNTED: Readonly<Record<string, readonly string[]>> = {
  done: ['execution +'],
  delivered: ['commissioning +'],
  reopened: ['execution -'],
  cancelled: ['commissioning -'],
  expired: ['execution -', 'social -'],
  taken: ['execution -'],
  handed: ['social +'],
  agreed: ['arbitration +'],
  disagreed: ['arbitration -'],
  silent: ['arbitration -'],
  equivocated: ['arbitration -'],
};

const itemsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Who allowed attempts, and how these ended: of the attempts with one approval, the last counts. */
const allowedEvents = (attempts: readonly JsonObject[]): readonly SaidEvent[] => {
  const last = new Map<unknown, JsonObject>();
  for (const attempt of attempts) {
    last.delete(attempt.approval); // so that the order is that of the last ones
    last.set(attempt.approval, attempt);
  }
  return [...last.values()].flatMap(({ how, allowed_by }) => {
    const end = String(how);
    const isFailed = end === 'error' || BAD_ENDS.includes(end);
    if (!Array.isArray(allowed_by) || (!isFailed && !GOOD_ENDS.includes(end))) return [];
    return allowed_by.map(String).map((name) => {
      const node = name.startsWith('server:') ? `agent:${name}` : name;
      return { node, domain: 'governance', good: isFailed ? 0 : 1, why: 'allowed' };
    });
  });
};

/** The events that an outcome record says, by their places in it. */
export const saidEvents = ({ kind, route, credits }: JsonObject): ReadonlyMap<number, SaidEvent> => {
  const said = new Map<number, SaidEvent>();
  if (kind !== 'call.exit') return said;
  const attempts = itemsOf(isObject(route) ? route.attempts : undefined);
  for (const [place, { server, how }] of attempts.entries()) {
    const why = String(how);
    const good = GOOD_ENDS.includes(why) ? 1 : 0;
    if (good === 1 || BAD_ENDS.includes(why))
      said.set(place, { node: `server:${String(server)}`, domain: 'execution', good, why });
  }
  let place = attempts.length;
  for (const { node, why } of itemsOf(credits)) {
    for (const counted of COUNTED[String(why)] ?? []) {
      const [domain = '', sign] = counted.split(' ');
      said.set(place, { node: String(node), domain, good: sign === '+' ? 1 : 0, why: String(why) });
      place += 1;
    }
  }
  for (const event of allowedEvents(attempts)) {
    said.set(place, event);
    place += 1;
  }
  return said;
};

const idOf = ({ record, place }: StoredRow): string => `${shown(record)}/${shown(place)}`;

const checkEvent = (tx: StoreReading, row: StoredRow): Finding[] => {
  const where = { table: 'reputation_events', id: idOf(row) };
  const record = typeof row.record === 'number' ? recordPlace(tx, row.record) : undefined;
  const body = parsedObject(record?.body);
  if (body === undefined) return [sayPointer('derived', where, 'follows from no record')];
  const at = { ...where, log: shown(record?.log_id), seq: Number(record?.seq) };
  const said = typeof row.place === 'number' ? saidEvents(body).get(row.place) : undefined;
  const isSaid =
    said !== undefined &&
    row.node_id === said.node &&
    row.domain === said.domain &&
    row.good === said.good &&
    row.why === said.why &&
    row.at === body.at;
  return isSaid ? [] : [sayPointer('derived', at, 'is not what its record says')];
};

const DAY_MS = 86_400_000;

const dayKey = ({ node_id, domain }: StoredRow, day: unknown): string =>
  JSON.stringify([node_id, domain, day].map(shown));

/** As text: a value of another type that reads alike is not the same. */
const countsOf = ({ successes, failures }: StoredRow): string => [successes, failures].map(shown).join(' ');

const checkDays = (tx: StoreReading): Finding[] => {
  const { events, days } = reputationSums(tx);
  const left = new Map(events.map((row) => [dayKey(row, Date.parse(String(row.date)) / DAY_MS), countsOf(row)]));
  const wrong: string[] = [];
  for (const row of days) {
    const key = dayKey(row, row.day);
    if (left.get(key) !== countsOf(row)) wrong.push(key);
    left.delete(key);
  }
  return [...wrong, ...left.keys()]
    .slice(0, VERIFY_LIMITS.verifyFindings)
    .map((id) => sayPointer('derived', { table: 'reputation_days', id }, 'is not the sum of the events of that day'));
};

export const REPUTATION: Walked = { table: 'reputation_events', idOf, check: checkEvent, once: checkDays };
