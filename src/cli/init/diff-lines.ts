// Computes the lines in which two texts differ, with some lines of context. Values whose name or form marks them as secrets are
// redacted.
import { REDACTED, redact } from '../../redact/redact.js';
import { CLI_LIMITS } from '../limits.js';

export interface DiffLine {
  readonly sign: ' ' | '+' | '-' | '…';
  readonly text: string;
}

const linesOf = (text: string | undefined): readonly string[] => {
  if (text === undefined || text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
};

/** The table of longest common subsequences: entry [i][j] is the length for `a` from line i and `b` from line j. */
const commonLengths = (a: readonly string[], b: readonly string[]): Uint32Array[] => {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const [row, next] = [rows[i] as Uint32Array, rows[i + 1] as Uint32Array];
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return rows;
};

const whole = (a: readonly string[], b: readonly string[]): DiffLine[] => [
  ...a.map((text): DiffLine => ({ sign: '-', text })),
  ...b.map((text): DiffLine => ({ sign: '+', text })),
];

const between = (a: readonly string[], b: readonly string[]): DiffLine[] => {
  if (a.length > CLI_LIMITS.diffLines || b.length > CLI_LIMITS.diffLines) return whole(a, b);
  const common = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [old, made] = [a[i] ?? '', b[j] ?? ''];
    const isGone = (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0);
    if (old === made) lines.push({ sign: ' ', text: old });
    else lines.push(isGone ? { sign: '-', text: old } : { sign: '+', text: made });
    if (old === made || isGone) i += 1;
    if (old === made || !isGone) j += 1;
  }
  return [...lines, ...whole(a.slice(i), b.slice(j))];
};

/** Replaces the unchanged lines that are far from every change by one mark. */
const shortened = (lines: readonly DiffLine[]): readonly DiffLine[] => {
  const isNear = lines.map((_, at) =>
    lines
      .slice(Math.max(0, at - CLI_LIMITS.diffContextLines), at + CLI_LIMITS.diffContextLines + 1)
      .some(({ sign }) => sign !== ' '),
  );
  return lines.flatMap((line, at): DiffLine[] => {
    if (isNear[at]) return [line];
    return isNear[at - 1] ? [{ sign: '…', text: '' }] : [];
  });
};

const commonStart = (a: readonly string[], b: readonly string[]): number => {
  const first = a.findIndex((line, at) => line !== b[at]);
  return first < 0 ? Math.min(a.length, b.length) : first;
};

/** A named value: `"TOKEN": "…"`, `TOKEN = "…"`, `--token=…`, `"--token", "…"`. The first group is the name, the last group the value. */
const NAMED = [
  /([A-Za-z_][\w.-]*)"?\s*[:=]\s*"((?:[^"\\]|\\.)*)"/g,
  /([A-Za-z_][\w-]*)=([^"\s]+)/g,
  /"--?([A-Za-z][\w-]*)",\s*"((?:[^"\\]|\\.)*)"/g,
];

const isSecret = (name: string, value: string): boolean =>
  !/^\$\{[^}]*\}$/.test(value) && Object.values(redact({ [name]: value }) as object)[0] !== value;

/** Redacts values whose name marks them as secrets, and text that has the form of a secret. */
const withoutSecrets = (text: string): string => {
  const hide = (all: string, name: string, value: string): string => {
    const at = all.lastIndexOf(value);
    return isSecret(name, value) ? `${all.slice(0, at)}${REDACTED}${all.slice(at + value.length)}` : all;
  };
  return redact(NAMED.reduce((shown, pattern) => shown.replace(pattern, hide), text)) as string;
};

/** The lines in which two texts differ. `known`: values of known secrets, which are redacted everywhere. */
export const diffLines = (
  before: string | undefined,
  after: string | undefined,
  known: readonly string[] = [],
): readonly DiffLine[] => {
  const [a, b] = [linesOf(before), linesOf(after)];
  const start = commonStart(a, b);
  const end = commonStart(a.slice(start).toReversed(), b.slice(start).toReversed());
  const kept = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }));
  const lines = shortened([
    ...kept(a.slice(Math.max(0, start - CLI_LIMITS.diffContextLines), start)),
    ...between(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...kept(a.slice(a.length - end).slice(0, CLI_LIMITS.diffContextLines)),
  ]);
  const hide = (text: string): string => known.reduce((shown, value) => shown.replaceAll(value, REDACTED), text);
  return lines.map(({ sign, text }) => ({ sign, text: withoutSecrets(hide(text)) }));
};
