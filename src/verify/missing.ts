// Builds the parts of a verdict that are not contradictions: the evidence that records themselves report as missing, and remarks.
import { count as counted } from '../core/figures.js';
import { CORE_LIMITS } from '../core/limits.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { Acceptances } from './accepted.js';
import { shown } from './evidence/pointer.js';
import { VERIFY_LIMITS } from './limits.js';
import type { Explained } from './log/history.js';
import type { LogWalk } from './log/log-walk.js';
import type { Missing } from './verdict/finding.js';

const numberIn = (body: JsonObject | undefined, field: string): number => {
  const value = body?.[field];
  return typeof value === 'number' ? value : 0;
};

export const reasonIn = ({ reason }: JsonObject): string => {
  const text = String(reason);
  return text.length <= CORE_LIMITS.reasonChars ? text : `${text.slice(0, CORE_LIMITS.reasonChars).toWellFormed()}…`;
};

const restored = ({ state: { first } }: LogWalk): Missing | undefined => {
  if (first?.kind !== 'restore') return undefined;
  const count = numberIn(first, 'known_size') - numberIn(first, 'size');
  const message = `Log ${shown(first.previous)} lost signed records; a person accepted that: ${reasonIn(first)}.`;
  return { kind: 'restore', message, ...(count > 0 && { count }) };
};

const lostKey = (
  { state: { first } }: LogWalk,
  walks: readonly LogWalk[],
  { copied }: Acceptances,
): Missing | undefined => {
  // A log that came with an accepted copy is continued in the original store, so its key is not lost.
  if (first?.kind !== 'succeeds' || copied.has(String(first.previous))) return undefined;
  const previous = walks.find(({ state }) => state.log === first.previous);
  if (previous === undefined || previous.history.last?.kind === 'rotate') return undefined;
  const tail = previous.state.size - previous.signed;
  const end =
    tail === 0
      ? 'all records of that log are signed'
      : `the last ${counted(tail, 'record is', 'records are')} not signed`;
  return { kind: 'lost key', message: `The key of log ${shown(first.previous)} was lost: ${end}.` };
};

const openCalls = ({ state, history }: LogWalk): Missing | undefined =>
  history.openCalls === 0
    ? undefined
    : {
        kind: 'open calls',
        count: history.openCalls,
        message: `Log ${state.log} has calls without an outcome whose process is gone.`,
      };

const gap = ({ state, history }: LogWalk): Missing | undefined =>
  history.gaps === 0
    ? undefined
    : { kind: 'gap', count: history.gaps, message: `Log ${state.log} says that calls could not be recorded.` };

const noHead = ({ state, heads }: LogWalk): Missing | undefined =>
  heads.length > 0 || state.size === 0
    ? undefined
    : {
        kind: 'no head',
        message: `No signed head of log ${state.log} is known: a rollback would not show. If another machine writes it, colibri nodes accept <vkey> keeps its newest head here.`,
      };

export const missingOf = (walks: readonly LogWalk[], accepted: Acceptances): Missing[] =>
  walks.flatMap((walk) =>
    [restored(walk), lostKey(walk, walks, accepted), gap(walk), openCalls(walk), noHead(walk)].filter(
      (it) => it !== undefined,
    ),
  );

const wentDown = ({ state, history }: LogWalk): string | undefined => {
  const places = history.wentDown;
  if (places.length === 0) return undefined;
  const more =
    places.length > VERIFY_LIMITS.namedPlaces ? ` and ${places.length - VERIFY_LIMITS.namedPlaces} more` : '';
  return `Log ${state.log}: the machine went down before record ${places.slice(0, VERIFY_LIMITS.namedPlaces).join(', ')}${more} without a shutdown; with normal durability the last acknowledged calls before it may be lost.`;
};

const unknownKinds = ({ state, history }: LogWalk): string | undefined =>
  history.unknownKinds === 0
    ? undefined
    : `Log ${state.log} has ${counted(history.unknownKinds, 'record')} of kinds that this version does not know.`;

export const remarksOf = (walks: readonly LogWalk[], { count }: Explained): string[] => [
  ...(count === 0 ? [] : [`${counted(count, 'content was', 'contents were')} erased or pruned, and records say so.`]),
  ...walks.flatMap((walk) => [wentDown(walk), unknownKinds(walk)].filter((it) => it !== undefined)),
];
