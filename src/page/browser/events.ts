// What a record that is not about one call says, in a sentence.
import type { JsonObject } from '../../proof/canonical-json.js';
import { numberIn, objectIn, textIn } from '../model/read.js';
import { PAGE_LIMITS } from './limits.js';
import { countOf } from './words.js';

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

/** Who answered an approval, and how; nothing before somebody did. */
export const answeredBy = ({ by, via, claimed }: JsonObject): string =>
  joined(
    textIn(by) === '' ? '' : `by ${textIn(by)}`,
    textIn(via) === '' ? '' : `via ${textIn(via)}`,
    claimed === true ? 'as the client says' : '',
  );

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
    joined(`session ${textIn(session)}`, countOf(numberIn(thoughts) ?? 0, 'thought')),
  gap: ({ count, reason }) => joined(`${countOf(numberIn(count) ?? 0, 'call')} not recorded`, reason),
  erase: ({ targets, reason, by }) => joined(countOf(amountIn(targets), 'text'), reason, `by ${textIn(by)}`),
  prune: ({ count, before }) => joined(countOf(numberIn(count) ?? 0, 'text'), `from before ${textIn(before)}`),
  migrate: ({ from, to }) => `schema ${String(from)} to ${String(to)}`,
  beside: ({ logs }) => `${countOf(amountIn(logs), 'other log')} grew`,
  accept: ({ what, reason, by }) => joined(what, reason, `by ${textIn(by)}`),
  restore: ({ reason }) => joined('the store went back to an older state, and somebody accepted it', reason),
  rotate: () => 'the log goes on with another key',
  succeeds: () => 'goes on where an older log of this machine ended',
  definition: ({ subjects }) => `${countOf(amountIn(subjects), 'definition')} used for the first time`,
  approval: (record) => {
    const { tool, server, reason } = record;
    return joined(`${textIn(tool)} of ${textIn(server)}: ${textIn(record.state)}`, answeredBy(record), reason);
  },
};

const plainMembers = (record: JsonObject): string =>
  Object.entries(record)
    .filter(
      ([name, value]) =>
        !COMMON.has(name) && !name.endsWith('digest') && (typeof value === 'string' || typeof value === 'number'),
    )
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
    .slice(0, PAGE_LIMITS.listChars)
    .toWellFormed();

export const eventWords = (record: JsonObject): string => {
  const kind = textIn(record.kind);
  return Object.hasOwn(SENTENCES, kind) ? (SENTENCES[kind]?.(record) ?? '') : plainMembers(record);
};
