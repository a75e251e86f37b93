// Moments as a person writes them: an age or a date.
import { quote } from '../modes.js';
import { wrong } from './target.js';

const HOUR_MS = 60 * 60 * 1000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
const AGE = /^(\d{1,5})([hdw])$/;
/** A date is midnight UTC; a time says its zone, because records are in UTC and people are not. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** 31 February would quietly be one in March. */
const isDay = (text: string): boolean => {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const moment = Date.parse(day);
  return !Number.isNaN(moment) && new Date(moment).toISOString().startsWith(day);
};

/** Milliseconds, or none: NaN. */
export const momentOf = (text: string, nowMs: number): number => {
  const [, amount, unit = ''] = AGE.exec(text) ?? [];
  if (amount !== undefined) return nowMs - Number(amount) * (UNITS[unit] ?? 0);
  return DATE.test(text) && isDay(text) ? Date.parse(text) : Number.NaN;
};

/** As records write it. `option` is what the person was asked for. */
export const parseWhen = (text: string, option: string, nowMs: number): string => {
  const moment = momentOf(text, nowMs);
  if (Number.isNaN(moment)) {
    throw wrong(
      `${option} ${quote(text)} is no date.`,
      'Say how long ago (12h, 30d, 8w), a day (2026-11-15, midnight UTC) or a time (2026-11-15T18:30Z).',
    );
  }
  return new Date(moment).toISOString();
};
