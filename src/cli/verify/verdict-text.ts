// Formats a verdict for people. Each verdict says who can reach keys and heads (the custody) and what was not checked, because a
// bare OK would claim more than was verified.
import { count } from '../../core/figures.js';
import type { Finding, Missing, Where } from '../../verify/verdict/finding.js';
import type { Judged, Verdict, VerifyExit } from '../../verify/verdict/verdict.js';
import { CLI_LIMITS } from '../limits.js';
import { type Colour, paint, plain } from '../screen/print.js';

/** What is printed about a store, a session, a task or a proof file. */
export interface ShownVerdict extends Judged, Pick<Verdict, 'missing'> {
  /** The name of what was checked, such as the path of the store. */
  readonly subject: string;
  readonly facts: readonly string[];
  /** True if there was nothing to check. */
  readonly isEmpty?: boolean;
}

const HEADLINES: Readonly<Record<VerifyExit, { readonly text: string; readonly colour: Colour }>> = {
  0: { text: 'OK', colour: 'green' },
  10: { text: 'INTACT, INCOMPLETE', colour: 'yellow' },
  20: { text: 'BROKEN', colour: 'red' },
  30: { text: 'UNREADABLE', colour: 'red' },
};

const EMPTY = { text: 'NOTHING TO CHECK', colour: 'yellow' } as const;

const placeText = ({ log, seq, table, id }: Where): string => {
  const record = log === undefined ? undefined : seq === undefined ? `log ${log}` : `${log}/${seq}`;
  const row = [table, id].filter((part) => part !== undefined).join(' ');
  return [record, row || undefined].filter((part) => part !== undefined).join(', ');
};

const findingLine = ({ kind, where, message }: Finding): string => {
  const place = placeText(where);
  return `  ${paint('red', kind)}${place && ` ${place}`}: ${message}`;
};

/** Keeps, of the findings about heads, only the one about each log's newest head: if a log was rolled back, all its heads contradict it. */
const oneOfHeads = (findings: readonly Finding[]): readonly Finding[] => {
  const newest = new Map<string | undefined, Finding & { readonly heads: number }>();
  for (const finding of findings.filter(({ signed }) => signed !== undefined)) {
    const before = newest.get(finding.where.log);
    const isNewer = before === undefined || (finding.signed ?? 0) > (before.signed ?? 0);
    newest.set(finding.where.log, { ...(isNewer ? finding : before), heads: (before?.heads ?? 0) + 1 });
  }
  const told = [...newest.values()].map(({ heads, message, ...head }) => ({
    ...head,
    message: heads === 1 ? message : `${heads} signed heads do not match this log; the newest: ${message}`,
  }));
  return [...told, ...findings.filter(({ signed }) => signed === undefined)];
};

const WENT_BACK = [
  'If the store went back: colibri restore explains it and puts a backup in place.',
  'If this is an older copy of a store: colibri verify --db <file> --copy checks what is in it.',
];

const findingLines = ({ findings, broken_count }: ShownVerdict): string[] => {
  if (broken_count === 0) return [];
  const told = oneOfHeads(findings);
  const shown = told.slice(0, CLI_LIMITS.verdictFindings);
  const all = broken_count - (findings.length - told.length);
  const more = all - shown.length;
  return [
    `${count(all, 'contradiction')}:`,
    ...shown.map(findingLine),
    ...(more > 0 ? [`  and ${more} more${told.length > shown.length ? ' (--json shows more)' : ''}`] : []),
    ...(told.some(({ signed }) => signed !== undefined) ? WENT_BACK.map((line) => `  → ${line}`) : []),
  ];
};

const missingLine = ({ kind, message, count: n }: Missing): string =>
  `  ${paint('yellow', kind)}${n === undefined ? '' : ` (${n})`}: ${message}`;

const block = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : [title, ...lines]);
const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/** Makes text from the store harmless for a terminal, before our own colour codes are added. */
const cleaned = (shown: ShownVerdict): ShownVerdict =>
  JSON.parse(JSON.stringify(shown), (_, v) => (typeof v === 'string' ? plain(v) : v));

/** True if nothing could be read; then the reason is printed first. */
const isUnread = ({ exit, checked, broken_count }: ShownVerdict): boolean =>
  exit === 30 && checked.length === 0 && broken_count === 0;

export const verdictLines = (raw: ShownVerdict): string[] => {
  const shown = cleaned(raw);
  const { text, colour } = shown.isEmpty ? EMPTY : HEADLINES[shown.exit];
  const headline = `${paint(colour, text)}  ${shown.subject}`;
  const custody = [`Custody: key: ${shown.custody.key}`, `         heads: ${shown.custody.heads}`];
  if (isUnread(shown)) {
    return [headline, ...indented(shown.remarks), `Not checked: ${shown.not_checked.join(', ')}`, ...custody];
  }
  return [
    headline,
    ...shown.facts,
    ...findingLines(shown),
    ...block('Missing:', shown.missing.map(missingLine)),
    ...block('Remarks:', indented(shown.remarks)),
    ...block('Checked:', indented(shown.checked)),
    ...block('Not checked:', indented(shown.not_checked)),
    ...custody,
  ];
};
