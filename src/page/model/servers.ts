// Servers, put together from their health records and the attempts in outcomes.
import { type JsonObject, parseObject } from '../../proof/canonical-json.js';
import type { CallEntry, TextBeside } from './calls.js';
import { numberIn, objectIn, objectsIn, textIn } from './read.js';

/** A change of a server's health, as one process saw it. */
export interface HealthChange {
  readonly log: string;
  readonly server: string;
  readonly instance: string;
  readonly seq: number;
  readonly at: string;
  readonly from: string;
  /** The new state; `removed` if the server was taken out of the configuration. */
  readonly to: string;
  readonly cause: string;
  readonly detail: string;
}

export interface ServerEntry {
  readonly server: string;
  /** The changes of its health, oldest first. */
  readonly changes: readonly HealthChange[];
  readonly calls: number;
  /** How attempts ended that did not end well, with their number. */
  readonly failures: readonly (readonly [how: string, count: number])[];
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
}

export const healthOf = (record: JsonObject, beside: TextBeside): HealthChange => {
  const seq = numberIn(record.seq) ?? 0;
  const texts = parseObject(beside(seq) ?? '');
  return {
    log: textIn(record.log),
    server: textIn(record.server),
    instance: textIn(record.instance),
    seq,
    at: textIn(record.at),
    from: textIn(record.from),
    to: record.to === null ? 'removed' : textIn(record.to),
    cause: textIn(record.cause),
    detail: textIn(record.detail) || textIn(texts.detail),
  };
};

/** The value that so large a part of the sorted values does not exceed. */
const quantile = (sorted: readonly number[], part: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

const GOOD: ReadonlySet<string> = new Set(['result', 'input']);

interface Tally {
  readonly times: number[];
  readonly failures: Map<string, number>;
  calls: number;
}

const newTally = (): Tally => ({ times: [], failures: new Map(), calls: 0 });

const tallies = (calls: readonly CallEntry[]): ReadonlyMap<string, Tally> => {
  const found = new Map<string, Tally>();
  for (const { exit } of calls) {
    for (const attempt of objectsIn(objectIn(exit?.route).attempts)) {
      const server = textIn(attempt.server);
      const tally = found.get(server) ?? newTally();
      found.set(server, tally);
      tally.calls += 1;
      const how = textIn(attempt.how).replace('_', ' ');
      const reason = textIn(attempt.code) === '' ? how : `${how} ${textIn(attempt.code)}`;
      if (GOOD.has(how)) tally.times.push(numberIn(attempt.duration_ms) ?? 0);
      else tally.failures.set(reason, (tally.failures.get(reason) ?? 0) + 1);
    }
  }
  return found;
};

export const serversFrom = (changes: readonly HealthChange[], calls: readonly CallEntry[]): readonly ServerEntry[] => {
  const counted = tallies(calls);
  const names = new Set([...changes.map(({ server }) => server), ...counted.keys()]);
  return [...names].sort().map((server) => {
    const { times, failures, calls: attempts } = counted.get(server) ?? newTally();
    const sorted = times.toSorted((a, b) => a - b);
    return {
      server,
      changes: changes.filter((one) => one.server === server),
      calls: attempts,
      failures: [...failures].sort(([, a], [, b]) => b - a),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
    };
  });
};
