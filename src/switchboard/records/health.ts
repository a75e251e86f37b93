// A transition of the health machine as a record, and back. What the record holds is enough to repeat the transition; the
// texts in it are for people and decide nothing, so they may be cut.

import { CORE_LIMITS } from '../../core/limits.js';
import { type HealthRecord, name } from '../../proof/records.js';
import type { HealthEvent, Transition } from '../health/event.js';
import { forPeople, type HealthState, type ReasonCode } from '../health/state.js';

const clean = (text: string): string => {
  const whole = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return whole.length <= CORE_LIMITS.messageChars ? whole : whole.slice(0, CORE_LIMITS.messageChars).toWellFormed();
};

/** Every text of a plain value made recordable. Servers choose some of them. */
const cleaned = (value: unknown): unknown => {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner)]));
};

export const healthRecord = (instance: string, server: string, transition: Transition): HealthRecord => {
  const { from, to, reason, event, before, at } = transition;
  return {
    kind: 'health',
    instance,
    server: name(server),
    from,
    to,
    cause: reason?.code ?? event.type,
    detail: reason === null ? null : name(forPeople(reason)),
    event: cleaned(event),
    before: cleaned(before),
    now_ms: at,
  };
};

export type RecordedHealth = Pick<HealthRecord, 'from' | 'to' | 'cause' | 'detail' | 'event' | 'before' | 'now_ms'>;

/** For replay. The record comes from a store, so it is taken as it is: what it says must be what the machine does. */
export const transitionOf = (record: RecordedHealth): Transition => ({
  from: record.from as Transition['from'],
  to: record.to as Transition['to'],
  reason: record.detail === null ? null : { code: record.cause as ReasonCode, text: record.detail },
  at: record.now_ms,
  event: record.event as HealthEvent,
  before: record.before as HealthState,
});
