// Formats times for people: short and in local time. Records and JSON keep UTC. cli/when.ts parses the times that people type.
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A duration such as `12 s`, `3 min`, `5 h`, `9 d`. A unit is used if the duration has at least two of it. */
export const span = (ms: number): string => {
  const left = Math.max(0, ms);
  if (left < 2 * MINUTE_MS) return `${Math.round(left / SECOND_MS)} s`;
  if (left < 2 * HOUR_MS) return `${Math.round(left / MINUTE_MS)} min`;
  return left < 2 * DAY_MS ? `${Math.round(left / HOUR_MS)} h` : `${Math.round(left / DAY_MS)} d`;
};

export const ago = (time: string, now: number): string => (time === '' ? '' : span(now - Date.parse(time)));
export const until = (time: string | null, now: number): string => (time === null ? '–' : span(Date.parse(time) - now));

/** The duration of a call, given in microseconds, for people. */
export const took = (us: number): string => {
  if (us < 1_000) return `${us} µs`;
  const ms = us / 1_000;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 99_950 ? `${(ms / SECOND_MS).toFixed(1)} s` : span(ms);
};

/** The local time in the form of `toISOString`. Its final `Z` is wrong and must not be shown, because the time is not UTC. */
const localIso = (time: Date): string => new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString();

/** A time in at most eleven characters: `02:06:28` for today, `11-15 02:06` for this year, `2025-11-15` for earlier years. */
export const clock = (at: string, now: number): string => {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '?';
  const [day = '', hour = ''] = localIso(time).split('T');
  const today = localIso(new Date(now));
  if (today.startsWith(day)) return hour.slice(0, 'hh:mm:ss'.length);
  if (!today.startsWith(day.slice(0, 'YYYY'.length))) return day;
  return `${day.slice('YYYY-'.length)} ${hour.slice(0, 'hh:mm'.length)}`;
};

const offsetOf = (time: Date): string => {
  const minutes = -time.getTimezoneOffset();
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};

/** The full local time with its zone: `2026-11-16 02:06:28.123 +01:00`. */
export const stamp = (at: string): string => {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  return `${localIso(time).replace('T', ' ').replace('Z', '')} ${offsetOf(time)}`;
};

export const midnight = (now: number): number => new Date(now).setHours(0, 0, 0, 0);
