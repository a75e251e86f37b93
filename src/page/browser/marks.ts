// The marks that stand beside facts: how a call ended, how a server is, whether a record proves it. Each says it in a word or letter, not by colour alone.

import type { PageLogVerdict } from '../../proof/page-check.js';
import { nameOfRow } from '../../proof/page-rows.js';
import { logIdOf } from '../model/model.js';
import type { App } from './app.js';
import { type Child, h } from './dom.js';

const TONES: Readonly<Record<string, string>> = {
  ok: 'good',
  open: 'busy',
  is_error: 'warn',
  domain_error: 'warn',
  rejected: 'warn',
  refused: 'warn',
  cancelled: 'warn',
  waiting: 'warn',
  asked: 'busy',
  granted: 'good',
  used: 'good',
  denied: 'bad',
  expired: 'warn',
  failed: 'bad',
  interrupted: 'bad',
  HEALTHY: 'good',
  STARTING: 'busy',
  PROBATION: 'busy',
  UNHEALTHY: 'bad',
  QUARANTINE: 'bad',
  DONE: 'good',
  CANCELLED: 'dim',
};

export const toneOf = (word: string): string => (Object.hasOwn(TONES, word) ? (TONES[word] ?? 'dim') : 'dim');

export const chip = (word: string, ...more: Child[]): HTMLElement =>
  h('span', { class: `chip ${toneOf(word)}` }, word === 'open' ? 'no outcome' : word.replace('_', ' '), ...more);

export type Standing = 'proved' | 'not signed yet' | 'not proved' | 'being checked';

/** What the check said of a log. */
export const verdictOn = ({ verdict }: App, log: string): PageLogVerdict | undefined =>
  verdict?.logs.find((one) => one.log === log);

export const standingOfRecord = (app: App, log: string, seq: number): Standing => {
  if (app.verdict === undefined) return 'being checked';
  const found = verdictOn(app, log);
  if (found === undefined || found.faults.length > 0) return 'not proved';
  return seq < found.signed ? 'proved' : 'not signed yet';
};

export const standingOfRow = (app: App, log: string, type: string, id: string): Standing => {
  if (app.verdict === undefined) return 'being checked';
  const found = verdictOn(app, log);
  if (found?.proved.has(nameOfRow(type, id)) !== true) return 'not proved';
  const at = app.data.logs.find((one) => logIdOf(one) === log);
  const seq =
    at?.rows.find(({ row }) => row.type === type && row.id === id)?.seq ??
    at?.thoughts.find(({ record }) => record.thought_id === id)?.seq;
  return seq !== undefined && seq < found.signed ? 'proved' : 'not signed yet';
};

/** What each mark means. */
export const SAYS: Readonly<Record<Standing, string>> = {
  proved: 'A record under the signed root says this.',
  'not signed yet': 'The record of this is newer than the last signature.',
  'not proved': 'No signed record that is shown proves this: it is only what the store says.',
  'being checked': 'The check has not ended yet.',
};

export const standingMark = (standing: Standing): HTMLElement =>
  h(
    'span',
    {
      class: `standing ${standing === 'proved' ? 'good' : standing === 'not proved' ? 'dim' : 'busy'}`,
      title: SAYS[standing],
    },
    standing === 'proved' ? '\u2713 proved' : standing,
  );

/** A mark beside what is not proved; nothing beside what is, or while the check goes on. */
export const markUnlessProved = (standing: Standing): Child =>
  standing !== 'proved' && standing !== 'being checked' && standingMark(standing);

export const notProved = (): HTMLElement => standingMark('not proved');
