// Values that differ from run to run, made the same: ids, hashes, times, figures, folders. What was equal stays equal,
// and what came later stays later.
import { createHash } from 'node:crypto';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
const HEX = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/;
/** The number of a round. */
const ROUND = /\b\d{15,19}\b/;
/** As a word of its own: names of logs hold slashes too. */
const BASE64 = /(?<=^|\s)[A-Za-z0-9+/]{40,}={0,2}/;
const VOLATILE = new RegExp([UUID, TIME, HEX, ROUND, BASE64].map(({ source }) => source).join('|'), 'g');

/** Texts that are too long to show. */
const SHORTENED = { bundle: '{"body":{"events":[…],"kind":"bundle","store":"…","v":1},"key":"…","sig":"…"}' };

const FIRST_TIME = Date.parse('2026-11-16T09:00:00.000Z');
const TODAY = Math.floor(FIRST_TIME / 86_400_000);

/** Figures of one run on one machine, random ones, days, and one that any migration changes. */
const FIGURES = {
  ...{ uptime_ms: 60_000, db_tables: 14, duration_ms: 3, p50_ms: 3, p99_ms: 3, lease_token: 7_130_316_801 },
  ...{ epoch: TODAY, last_activity_epoch: TODAY },
};

const LEASE_MS = 30 * 60_000;

const digestOf = (n, encoding) => createHash('sha512').update(`example ${n}`).digest(encoding);

const uuidOf = (n) => `01993f4e-8c00-7000-8000-${String(n).padStart(12, '0')}`;

/** As long as the original, padding included. */
const base64Of = (n, text) => {
  const [padding] = /=*$/.exec(text);
  const length = text.length - padding.length;
  const letters = digestOf(n, 'base64').replace(/=+$/, '');
  return `${letters.repeat(Math.ceil(length / letters.length)).slice(0, length)}${padding}`;
};

/** Seconds apart, in their order; what was a lease later is a lease later. */
const timesOf = (texts) => {
  const all = [...new Set(texts)].sort();
  const isLease = (text) => all.includes(new Date(Date.parse(text) - LEASE_MS).toISOString());
  const moments = all.filter((text) => !isLease(text));
  const fixed = new Map(moments.map((text, at) => [text, FIRST_TIME + at * 1_000]));
  for (const text of all.filter(isLease)) {
    fixed.set(text, fixed.get(new Date(Date.parse(text) - LEASE_MS).toISOString()) + LEASE_MS);
  }
  return fixed;
};

const stringsIn = (value) => {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsIn) : [];
};

class Fixed {
  #known = new Map();
  #times;
  #names;

  constructor(everything, names) {
    this.#names = names;
    const found = stringsIn(everything).flatMap((text) => text.match(new RegExp(TIME, 'g')) ?? []);
    this.#times = timesOf(found);
  }

  #one(text) {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const n = this.#known.size + 1;
    const fixed = this.#make(text, n);
    this.#known.set(text, fixed);
    return fixed;
  }

  #make(text, n) {
    if (TIME.test(text)) return new Date(this.#times.get(text)).toISOString();
    if (UUID.test(text)) return uuidOf(n);
    if (/^\d+$/.test(text) && text.length < 20) return String(4_611_686_018_427_387_904n + BigInt(n));
    if (/^[0-9a-f]+$/.test(text)) return digestOf(n, 'hex').slice(0, text.length);
    return base64Of(n, text);
  }

  #text(text) {
    const moved = this.#names.reduce((words, [from, to]) => words.replaceAll(from, to), text);
    return moved.replace(VOLATILE, (found) => this.#one(found));
  }

  value(value, key) {
    if (Object.hasOwn(FIGURES, key ?? '') && value !== null) return FIGURES[key];
    if (Object.hasOwn(SHORTENED, key ?? '') && value?.length > 100) return SHORTENED[key];
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.value(inner, name)]));
  }
}

/** `names`: pairs of what stands there and what should. */
export const fixValues = (everything, names) => new Fixed(everything, names).value(everything);
