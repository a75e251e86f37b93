// Converts a transition of a server's health machine to a record and back; the transition can be replayed from the record alone. Texts for
// people may come from a server, so they are not in the record but in a separate row, which can be erased.

import { CORE_LIMITS } from '../../core/limits.js';
import { type KeptEntry, keptTexts } from '../../ledger/payload.js';
import type { HealthRecord } from '../../proof/switchboard-records.js';
import { asName } from '../../redact/redact.js';
import type { HealthEvent, Transition } from '../health/event.js';
import { type Account, forPeople, type HealthState, type ReasonCode } from '../health/state.js';

const clean = (text: string): string => {
  const whole = text.toWellFormed().replaceAll('\u0000', '\ufffd');
  return whole.slice(0, CORE_LIMITS.messageChars).toWellFormed();
};

/** The names of the members of an event or a state that are texts for people. */
const WORDS: ReadonlySet<string> = new Set(['text', 'said']);

/** Removes the texts for people from an event or a state, and makes every other string well formed and short enough for a record. */
const wordless = (value: unknown): unknown => {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(wordless);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([key]) => !WORDS.has(key));
  return Object.fromEntries(members.map(([key, inner]) => [key, wordless(inner)]));
};

/** The members of an object that are not undefined; undefined if there are none. */
const present = (members: object): object | undefined => {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return there.length === 0 ? undefined : Object.fromEntries(there);
};

const wordsOf = ({ text, said }: Partial<Account>): object | undefined =>
  present({ text: text === undefined ? text : clean(text), said: said === undefined ? said : clean(said) });

/** The texts that the health record leaves out; undefined if there are none. */
const textsOf = ({ reason, event, before }: Transition): object | undefined =>
  present({
    detail: reason === null ? undefined : clean(forPeople(reason)),
    event: wordsOf(event as Partial<Account>),
    before: wordsOf(before.reason ?? {}),
  });

export const healthEntry = (instance: string, server: string, transition: Transition, at: string): KeptEntry => {
  const { from, to, reason, event, before } = transition;
  const texts = textsOf(transition);
  const kept = texts && keptTexts(texts);
  const record: HealthRecord = {
    kind: 'health',
    instance,
    server: asName(server),
    from,
    to,
    cause: reason?.code ?? event.type,
    ...(reason === null && { detail: null }),
    event: wordless(event),
    before: wordless(before),
    now_ms: transition.at,
    ...kept?.said,
  };
  return { dated: { at, record }, kept: kept?.row };
};

export type RecordedHealth = Pick<HealthRecord, 'from' | 'to' | 'cause' | 'detail' | 'event' | 'before' | 'now_ms'>;

/** Makes a transition from a record, for a replay. Nothing is checked here: the replay compares the record with what the health machine does. */
export const transitionOf = (record: RecordedHealth): Transition => ({
  from: record.from as Transition['from'],
  to: record.to as Transition['to'],
  reason: record.detail === null ? null : { code: record.cause as ReasonCode, text: record.detail ?? '' },
  at: record.now_ms,
  event: record.event as HealthEvent,
  before: record.before as HealthState,
});
