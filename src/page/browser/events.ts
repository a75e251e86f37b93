// What a record that is not about one call says, in a sentence.
import type { JsonObject } from '../../proof/canonical-json.js';
import { numberIn, objectIn, textIn } from '../model/read.js';

const amountIn = (value: unknown): number =>
  Array.isArray(value) ? value.length : (numberIn(objectIn(value).count) ?? 0);

const joined = (...words: readonly unknown[]): string =>
  words.filter((word) => (typeof word === 'string' && word !== '') || typeof word === 'number').join(', ');

const changed = (record: JsonObject): string =>
  joined(
    ...['added', 'removed', 'changed'].map((name) =>
      amountIn(record[name]) === 0 ? '' : `${amountIn(record[name])} ${name}`,
    ),
  ) || 'nothing';

/** The members that every record has, which say nothing about this one. */
const COMMON: ReadonlySet<string> = new Set(['v', 'log', 'seq', 'kind', 'at', 'instance', 'subjects', 'store']);

const SENTENCES: Readonly<Record<string, (record: JsonObject) => string>> = {
  boot: ({ pid, mode, version, project, node }) =>
    joined(`pid ${String(pid)}`, mode, version, project ?? 'no project', node),
  shutdown: ({ reason, drained, abandoned }) =>
    joined(reason, `${String(drained)} drained`, `${String(abandoned)} abandoned`),
  health: ({ server, from, to, cause }) =>
    `${textIn(server)}: ${textIn(from)} \u2192 ${textIn(to) || 'removed'}, ${textIn(cause)}`,
  catalogue: (record) => `${textIn(record.server)}: ${changed(record)}`,
  config: (record) => `${textIn(record.what)}: ${changed(record)}`,
  asked: ({ server, method }) => `${textIn(server)}: ${textIn(method)}`,
  seal: ({ session_id: session, record_count: thoughts }) =>
    joined(`session ${textIn(session)}`, `${String(thoughts)} thoughts`),
  gap: ({ count, reason }) => joined(`${String(count)} calls were not recorded`, reason),
  erase: ({ targets, reason, by }) => joined(`${amountIn(targets)} contents`, reason, `by ${textIn(by)}`),
  prune: ({ count, before }) => joined(`arguments of ${String(count)} calls`, `from before ${textIn(before)}`),
  migrate: ({ from, to }) => `schema ${String(from)} to ${String(to)}`,
  beside: ({ logs }) => `${amountIn(logs)} other logs`,
};

const plainMembers = (record: JsonObject): string =>
  Object.entries(record)
    .filter(
      ([name, value]) =>
        !COMMON.has(name) && !name.endsWith('digest') && (typeof value === 'string' || typeof value === 'number'),
    )
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');

export const eventWords = (record: JsonObject): string => {
  const kind = textIn(record.kind);
  return Object.hasOwn(SENTENCES, kind) ? (SENTENCES[kind]?.(record) ?? '') : plainMembers(record);
};
