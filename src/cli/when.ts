// Times as people write them: an age, a date, what a clock on the wall says. They become what records write. How times are shown
// is in time.ts.
import { quote } from '../modes.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, midnight, SECOND_MS } from './screen/time.js';
import { wrong } from './target.js';

const UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};
/** What leaves the store, or is copied out of it, is hours old at least. */
const AGE = /^(\d{1,5})([hdw])$/;
/** What is looked at may be seconds old. */
const SHORT_AGE = /^(\d{1,6})\s?(s|m|min|h|d|w)$/;
const HOUR = /^(\d{1,2}):(\d{2})$/;
/** A date is midnight UTC; a time says its zone, because records are in UTC and people are not. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** 31 February would quietly be one in March. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
};

/** An age or a date. Milliseconds, or none: NaN. */
const momentOf = (text: string, age: RegExp, nowMs: number): number => {
  const [, amount, unit = ''] = age.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0);
  return DATE.test(text) && isDay(text) ? Date.parse(text) : Number.NaN;
};

/** And what a clock on the wall says, or nearly. */
const nearMomentOf = (text: string, nowMs: number): number => {
  if (text === 'today') return midnight(nowMs);
  if (text === 'yesterday') return midnight(midnight(nowMs) - 1);
  const [hour, hours, minutes] = HOUR.exec(text) ?? [];
  if (hour !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    return new Date(nowMs).setHours(Number(hours), Number(minutes), 0, 0);
  }
  return momentOf(text, SHORT_AGE, nowMs);
};

/** As records write it. `option` is what the person was asked for. */
export const parseWhen = (text: string, option: string, nowMs: number): string => {
  const moment = momentOf(text, AGE, nowMs);
  if (!Number.isNaN(moment)) return new Date(moment).toISOString();
  throw wrong(
    `${option} ${quote(text)} is no date.`,
    'Say how long ago (12h, 30d, 8w), a day (2026-11-15, midnight UTC) or a time (2026-11-15T18:30Z).',
  );
};

/** The same for who looks at what has just happened. */
export const parseTime = (text: string, option: string, nowMs: number): string => {
  const moment = nearMomentOf(text.trim(), nowMs);
  if (!Number.isNaN(moment)) return new Date(moment).toISOString();
  throw wrong(
    `${option} ${JSON.stringify(text)} is no time.`,
    'Write 30m, 2h or 7d (ago), today, yesterday, 14:30, 2026-11-16 (midnight UTC) or 2026-11-16T14:30Z.',
  );
};
