// Formats one record as one line of `colibri log`: a call in columns, any other record as a sentence.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { type CallView, callView, IS_ERROR, numberOf, shownOutcome, textOf, wholeBody } from '../records/call-view.js';
import type { LogRow } from '../records/log-repository.js';
import type { LogInfo } from '../records/record-repository.js';
import { type Colour, plain } from '../screen/print.js';
import type { Cells, Column } from '../screen/table.js';
import { clock, took } from '../screen/time.js';
import { screenWidth } from '../screen/width.js';
import { aboutText } from './about.js';

/** The outcomes of calls: those that records name, and two for calls without one, `running` and `lost`. */
export const OUTCOME_COLOURS: Readonly<Record<string, Colour>> = {
  ok: 'green',
  [IS_ERROR]: 'yellow',
  domain_error: 'yellow',
  rejected: 'yellow',
  refused: 'yellow',
  failed: 'red',
  cancelled: 'yellow',
  interrupted: 'red',
  running: 'bold',
  lost: 'red',
};

/** The word of an outcome such as `failed HANDLER_ERROR`; its code may be cut. */
const wordOf = (outcome: string): string => outcome.split(' ')[0] ?? '';

/** The colour of a call's outcome, which may end with an error code: `failed` or `failed HANDLER_ERROR`. */
export const outcomeColour = (outcome: string): Colour => OUTCOME_COLOURS[wordOf(outcome)] ?? 'red';

/** An outcome with a code of the usual length. */
const USUAL_OUTCOME = 'refused TOOL_UNAVAILABLE';

const CALL_COLUMNS: readonly Column[] = [
  { title: 'time' },
  { title: 'tool', least: 18 },
  { title: 'about', least: 8 },
  { title: 'outcome', least: 7, most: USUAL_OUTCOME.length, gives: 2, colour: outcomeColour, keeps: wordOf },
  { title: 'took', right: true },
  { title: 'client', least: 6, gives: 1 },
  { title: 'record', right: true },
];

const RECORD_COLUMNS: readonly Column[] = [
  { title: 'time' },
  { title: 'kind' },
  { title: 'what', least: 20 },
  { title: 'record', right: true },
];

const SHORTEST_NAME = 4;

/** Returns a function that names a record by its number, or by log and number if the store has several logs. */
export const placeNames = (logs: readonly LogInfo[]): ((log: string, seq: number) => string) => {
  if (logs.length < 2) return (_log, seq) => String(seq);
  const isUnique = (chars: number): boolean =>
    new Set(logs.map(({ log_id }) => log_id.slice(0, chars))).size === logs.length;
  let chars = SHORTEST_NAME;
  while (chars < 32 && !isUnique(chars)) chars += 1;
  return (log, seq) => `${log.slice(0, chars)}/${seq}`;
};

export type PlaceName = ReturnType<typeof placeNames>;

const outcomeCell = (call: CallView): string =>
  plain(shownOutcome(call) || '?') + (call.code === null ? '' : ` ${plain(call.code)}`);

const amount = (value: unknown): number =>
  Array.isArray(value) ? value.length : isObject(value) ? numberOf(value.count) : 0;

/** Says how many entries a record reports as added, removed and changed, such as `2 added, 1 removed`. */
const difference = (body: JsonObject): string =>
  ['added', 'removed', 'changed']
    .map((key) => [amount(body[key]), key] as const)
    .filter(([n]) => n > 0)
    .map(([n, key]) => `${n} ${key}`)
    .join(', ');

const join = (...parts: readonly unknown[]): string =>
  parts.filter((part) => (typeof part === 'string' && part !== '') || typeof part === 'number').join(', ');

const shown = (key: string, value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' ? [`${key} ${value}`] : [];

/** Who asked for a change of a server's health, and for what; empty if nobody did. */
const askedText = (event: unknown): string =>
  isObject(event) && event.type === 'asked' ? `${textOf(event.by)} asked for a ${textOf(event.what)}` : '';

/** The functions that make a record's sentence, by the record's kind. For a kind that is not listed here, the record's fields are shown. */
const SENTENCES: Readonly<Record<string, (body: JsonObject) => string>> = {
  boot: ({ pid, mode, version, project, node }) => join(`pid ${pid}`, mode, version, project ?? 'no project', node),
  shutdown: ({ reason, drained, abandoned }) => join(reason, `${drained} drained`, `${abandoned} abandoned`),
  'call.enter': ({ tool, client }) => join(tool, textOf((client as JsonObject | null)?.name)),
  'call.exit': ({ tool, outcome, code }) => join(tool, outcome, code),
  health: ({ server, from, to, cause, detail, event }) =>
    `${textOf(server)}: ${textOf(from)} → ${textOf(to) || 'removed'}, ${askedText(event) || textOf(cause)}${textOf(detail) === '' ? '' : `: ${textOf(detail)}`}`,
  catalogue: (body) => `${textOf(body.server)}: ${difference(body) || 'nothing'}`,
  definition: ({ subjects }) => `${amount(subjects)} definitions of tools`,
  approval: ({ approval_id, state, tool, server, by, via, reason }) =>
    join(
      `${approval_id} ${state}`,
      `${tool} of ${server}`,
      via === null ? '' : `${via}${by === null ? '' : ` by ${by}`}`,
      reason,
    ),
  asked: ({ server, method, call }) =>
    `${textOf(server)}: ${textOf(method)}${typeof call === 'string' ? `, during call ${call}` : ''}`,
  config: (body) => `${textOf(body.what)}: ${difference(body) || 'nothing'}`,
  seal: ({ session_id, record_count }) => join(`session ${session_id}`, `${record_count} thoughts`),
  gap: ({ count, reason }) => join(`${count} calls were not recorded`, reason),
  erase: ({ targets, reason, by }) => join(`${amount(targets)} contents`, reason, `by ${by}`),
  prune: ({ count, before, from_seq, to_seq }) =>
    join(`arguments of ${count} calls`, `from before ${before}`, `records ${from_seq} to ${to_seq}`),
  restore: ({ previous, size, known_size, reason }) => join(`after ${previous}`, `${size} of ${known_size}`, reason),
  unassign: ({ subjects }) => `${amount(subjects)} tasks that a claim had assigned`,
  beside: ({ logs }) => `${amount(logs)} other logs`,
  accept: ({ what, logs, reason, by }) => join(`${textOf(what)}: ${amount(logs)} logs`, reason, `by ${by}`),
  rotate: ({ successor }) => `to ${textOf(successor)}`,
  succeeds: ({ previous, size }) => `log ${textOf(previous)} at ${size}`,
  migrate: ({ from, to }) => `schema ${from} to ${to}`,
};

const COMMON: readonly string[] = ['v', 'log', 'seq', 'kind', 'at'];

export const sentenceOf = (kind: string, body: JsonObject): string => {
  const known = Object.hasOwn(SENTENCES, kind) ? SENTENCES[kind] : undefined;
  if (known !== undefined) return plain(known(body));
  const fields = Object.entries(body).filter(([key]) => !COMMON.includes(key));
  return plain(fields.flatMap(([key, value]) => shown(key, value)).join(', '));
};

/** How the lines of one listing are shown: with the columns for calls only, or with the columns for all records. */
export interface LineStyle {
  readonly columns: readonly Column[];
  readonly cells: (row: LogRow, nowMs: number) => Cells;
  readonly json: (row: LogRow) => unknown;
}

/** On a narrower screen a line has no room for what a call was about, nor for who called. */
const ABOUT_COLUMNS = 64;
const WIDE_ONLY: readonly string[] = ['about', 'client'];

export const callStyle = (alive: ReadonlySet<string>, placeName: PlaceName): LineStyle => {
  const isNarrow = screenWidth() < ABOUT_COLUMNS;
  const fitting = <T>(cells: readonly T[]): readonly T[] =>
    cells.filter((_, at) => !isNarrow || !WIDE_ONLY.includes(CALL_COLUMNS[at]?.title ?? ''));
  return {
    columns: fitting(CALL_COLUMNS),
    cells: (row, nowMs) => {
      const call = callView(row, alive);
      return fitting([
        clock(call.ended_at ?? call.began_at, nowMs),
        plain(call.tool),
        plain(aboutText(call, row.asked)),
        outcomeCell(call),
        call.duration_us === null ? '' : took(call.duration_us),
        plain(call.client?.name ?? ''),
        plain(placeName(call.log, call.seq)),
      ]);
    },
    json: (row) => {
      const call = callView(row, alive);
      return { ...call, about: aboutText(call, row.asked) };
    },
  };
};

export const recordStyle = (placeName: PlaceName): LineStyle => ({
  columns: RECORD_COLUMNS,
  cells: (row, nowMs) => [
    clock(row.at, nowMs),
    plain(row.kind),
    sentenceOf(row.kind, wholeBody(row)),
    plain(placeName(row.log_id, row.seq)),
  ],
  json: (row) => ({ ...wholeBody(row), leaf: row.leaf }),
});
