// Finds the value of an enum that a caller meant by another word: agents know `in_progress` and `todo` from other programs. The word is
// still refused, because the caller should know which value is recorded.
import { CORE_LIMITS } from '../core/limits.js';
import { nearest } from '../core/nearest.js';

/** For each value of an enum of Colibri's tools: other words for it, in small letters with `_` between words. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  // The states of a task.
  INIT: ['todo', 'to_do', 'open', 'new', 'created', 'backlog', 'pending', 'queued', 'ready', 'not_started', 'waiting'],
  GATHER: [
    'start',
    'started',
    'starting',
    'begin',
    'gathering',
    'research',
    'investigate',
    'reopen',
    'reopened',
    'retry',
  ],
  ANALYZE: ['analyse', 'analysis', 'analyzing', 'analysing', 'analyzed', 'thinking'],
  PLAN: ['planning', 'planned', 'design', 'designing'],
  APPLY: [
    ...['in_progress', 'inprogress', 'progress', 'doing', 'working', 'wip', 'active', 'ongoing', 'running', 'applying'],
    ...['implement', 'implementing', 'execute', 'executing'],
  ],
  VERIFY: [
    'review',
    'in_review',
    'reviewing',
    'test',
    'testing',
    'verifying',
    'verification',
    'check',
    'qa',
    'validate',
  ],
  DONE: [
    'complete',
    'completed',
    'finish',
    'finished',
    'closed',
    'close',
    'resolved',
    'success',
    'succeeded',
    'verified',
  ],
  CANCELLED: [
    'cancel',
    'canceled',
    'abandoned',
    'aborted',
    'dropped',
    'deleted',
    'removed',
    'wontfix',
    'wont_do',
    'obsolete',
  ],
  // The priorities of a task.
  urgent: ['critical', 'highest', 'blocker', 'immediate', 'asap', 'emergency', 'p0'],
  high: ['important', 'major', 'p1'],
  normal: ['medium', 'moderate', 'default', 'standard', 'regular', 'p2'],
  low: ['minor', 'lowest', 'trivial', 'p3', 'p4'],
  // The types of thoughts.
  plan: ['todo', 'planning', 'intent', 'approach', 'strategy'],
  analysis: ['finding', 'findings', 'observation', 'analyze', 'research', 'note', 'fact', 'thought'],
  decision: ['choice', 'decide', 'decided', 'conclusion'],
  reflection: ['lesson', 'learning', 'retrospective', 'review', 'reflect', 'summary'],
  // The order of a list.
  newest: ['desc', 'descending', 'latest', 'recent', 'newest_first', 'last'],
  oldest: ['asc', 'ascending', 'earliest', 'oldest_first', 'first'],
};

/** The one of `values` that the word means; undefined if none is known. */
export const meantBy = (word: string, values: readonly string[]): string | undefined => {
  const plain = word
    .slice(0, CORE_LIMITS.nearestChars)
    .trim()
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[\s_-]+/g, '_');
  const known = values.find((value) => Object.hasOwn(OTHER_WORDS, value) && OTHER_WORDS[value]?.includes(plain));
  return known ?? nearest(plain, values);
};
