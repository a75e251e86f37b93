// Parses times as people write them (an age, a date, a time of day) into the ISO timestamps that records have. screen/time.ts formats
// times for people.
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
/** An age as taken by commands that copy or remove records: an hour is the smallest unit. */
const AGE = /^(\d{1,5})([hdw])$/;
/** An age as taken by commands that only show records: a second is the smallest unit. */
const SHORT_AGE = /^(\d{1,6})\s?(s|m|min|h|d|w)$/;
const HOUR = /^(\d{1,2}):(\d{2})$/;
/** A date means midnight UTC; a time must name its zone, because records are in UTC and people think in local time. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** True if the day exists: 31 February does not, but Date.parse would take it for a day in March. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
};

/** Parses an age or a date into milliseconds; NaN if the text is neither. */
const momentOf = (text: string, age: RegExp, nowMs: number): number => {
  const [, amount, unit = ''] = age.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0);
  return DATE.test(text) && isDay(text) ? Date.parse(text) : Number.NaN;
};

/** Parses an age, a date, `today`, `yesterday` or a time of day into milliseconds; NaN if the text is none of these. */
const recentMomentOf = (text: string, age: RegExp, nowMs: number): number => {
  if (text === 'today') return midnight(nowMs);
  if (text === 'yesterday') return midnight(midnight(nowMs) - 1);
  const [hour, hours, minutes] = HOUR.exec(text) ?? [];
  if (hour !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    return new Date(nowMs).setHours(Number(hours), Number(minutes), 0, 0);
  }
  return momentOf(text, age, nowMs);
};

/** The moment as an ISO timestamp; throws if it is NaN. */
const isoOf = (moment: number, problem: string, remedy: string): string => {
  if (Number.isNaN(moment)) throw wrong(problem, remedy);
  return new Date(moment).toISOString();
};

/** Parses a time for commands that copy or remove records: no minutes, because `3m` is also short for three months. `option`: the option that the error names. */
export const parseWhen = (text: string, option: string, nowMs: number): string =>
  isoOf(
    recentMomentOf(text, AGE, nowMs),
    `${option} ${quote(text)} is not a date.`,
    'Say how long ago (12h, 30d, 8w), today, yesterday, 14:30, a day (2026-11-15, midnight UTC) or a time (2026-11-15T18:30Z).',
  );

/** Parses a time for commands that show records into an ISO timestamp: takes also short ages and times of day. */
export const parseTime = (text: string, option: string, nowMs: number): string =>
  isoOf(
    recentMomentOf(text.trim(), SHORT_AGE, nowMs),
    `${option} ${JSON.stringify(text)} is not a time.`,
    'Write 30m, 2h or 7d (ago), today, yesterday, 14:30, 2026-11-16 (midnight UTC) or 2026-11-16T14:30Z.',
  );
