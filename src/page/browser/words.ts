// How times, durations and numbers are written.
import { PAGE_LIMITS } from './limits.js';

export const figureOf = (n: number): string => n.toLocaleString('en');
export const countOf = (n: number, what: string): string => `${figureOf(n)} ${what}${n === 1 ? '' : 's'}`;

/** A text that is shown in part, with a sign that it goes on. */
export const cutTo = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most).toWellFormed()}\u2026`;

const DAY_CHARS = 'YYYY-MM-DD'.length;
const pad = (n: number, chars = 2): string => String(n).padStart(chars, '0');

const dayOf = (date: Date): string => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

/** The time of day in the reader's zone, with the day if it is another one than the day of `now`. */
export const clockOf = (at: string, now: string): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at || '\u2013';
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  const day = dayOf(date);
  return day === dayOf(new Date(now)) ? time : `${day.slice('YYYY-'.length)} ${time}`;
};

/** The whole moment, in the reader's zone. */
export const wholeMoment = (at: string): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at || '\u2013';
  return `${dayOf(date)} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
};

/** The zone of all times: on paper nobody can ask the reader's machine. */
export const zoneWords = (): string => `Times are of the zone ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`;

export const dayIn = (at: string): string => at.slice(0, DAY_CHARS);

const STEPS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** How long something takes or is ago: `3 min`. */
export const spanOf = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const [size, unit] = STEPS.find(([step]) => seconds >= step) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
};

export const tookOf = (us: number | undefined): string => {
  if (us === undefined) return '\u2013';
  if (us < 1_000) return `${us} \u00b5s`;
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`;
  return `${(us / 1_000_000).toFixed(us < 10_000_000 ? 1 : 0)} s`;
};

export const shortHash = (hash: string): string => hash.slice(0, PAGE_LIMITS.hashChars);
