// The trail: sessions of thoughts, each drawn as the chain that its hashes make.

import { numberIn, textIn } from '../model/read.js';
import type { SessionEntry, ThoughtEntry } from '../model/tasks.js';
import type { App, View } from './app.js';
import { proofButton } from './copy-proof.js';
import { h, hashOf, linkTo, longText } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { markUnlessProved, standingMark, standingOfRecord, standingOfRow } from './marks.js';
import { facts, none } from './parts.js';
import { clockOf, countOf, cutTo, figureOf, shortHash, wholeMoment } from './words.js';

const stateOf = ({ finalized }: SessionEntry): string => (finalized === '' ? 'open' : 'sealed');

const item = (app: App, session: SessionEntry): HTMLElement =>
  h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      h('time', {}, clockOf(session.started, app.now())),
      h('span', { class: `chip ${session.finalized === '' ? 'busy' : 'good'}` }, stateOf(session)),
      linkTo(
        hashOf('trail', session.id),
        { class: 'row', 'data-key': session.id },
        cutTo(session.intent, PAGE_LIMITS.errorChars) || session.id,
      ),
      markUnlessProved(standingOfRow(app, session.log, 'session', session.id)),
    ),
    h(
      'div',
      { class: 'sub' },
      [countOf(session.recordCount ?? session.thoughts.length, 'thought'), session.task, session.agent]
        .filter((word) => word !== '')
        .join(' \u00b7 '),
    ),
  );

const link = (app: App, thought: ThoughtEntry): HTMLElement =>
  h(
    'li',
    { class: 'link' },
    h(
      'div',
      { class: 'line' },
      h('b', {}, thought.type),
      h('span', {}, thought.agent),
      thought.task !== '' && linkTo(hashOf('tasks', thought.task), {}, thought.task),
      h('time', {}, clockOf(thought.at, app.now())),
      standingMark(standingOfRow(app, thought.log, 'thought', thought.id)),
    ),
    thought.content === null
      ? none('Its text was erased or left out; its digest stays.')
      : longText(thought.content, { class: 'prose' }),
    h(
      'p',
      { class: 'hash' },
      'after ',
      h('code', {}, shortHash(thought.previous)),
      ' \u00b7 content ',
      h('code', {}, shortHash(thought.digest)),
    ),
  );

const sealOf = (app: App, { seal, finalized, root, recordCount, log }: SessionEntry): HTMLElement => {
  if (finalized === '')
    return h(
      'li',
      { class: 'link open' },
      h('b', {}, 'open'),
      h('p', {}, 'It takes more thoughts until it is sealed.'),
    );
  const seq = numberIn(seal?.seq);
  return h(
    'li',
    { class: 'link seal' },
    h(
      'div',
      { class: 'line' },
      h('b', {}, 'sealed'),
      h('time', {}, wholeMoment(finalized)),
      seq === undefined ? null : standingMark(standingOfRecord(app, log, seq)),
    ),
    h('p', {}, `${countOf(recordCount ?? 0, 'thought')} under one root; none can be added, changed or left out.`),
    h('p', { class: 'hash' }, 'root ', h('code', {}, root)),
    seq === undefined
      ? h('p', { class: 'none' }, 'The record of the seal is not shown.')
      : h(
          'div',
          {},
          h('p', {}, `Record ${figureOf(seq)} is the seal, with root `, h('code', {}, shortHash(textIn(seal?.root)))),
          proofButton(app, log, seq),
        ),
  );
};

const one = (app: App, id: string): HTMLElement => {
  const session = app.model.sessions.find((found) => found.id === id);
  const back = h('p', { class: 'back' }, linkTo(hashOf('trail'), {}, '\u2190 All sessions'));
  if (session === undefined)
    return h(
      'div',
      {},
      back,
      h('h1', { tabindex: '-1' }, 'Session'),
      none('This session is not among the records that are shown.'),
    );
  const missing = (session.recordCount ?? session.thoughts.length) - session.thoughts.length;
  return h(
    'article',
    {},
    back,
    h('h1', { tabindex: '-1' }, 'Session ', standingMark(standingOfRow(app, session.log, 'session', session.id))),
    h('p', { class: 'lead title' }, session.intent),
    facts(
      ['Session', h('code', {}, session.id)],
      session.task === '' ? null : ['Task', linkTo(hashOf('tasks', session.task), {}, session.task)],
      session.agent === '' ? null : ['Agent', session.agent],
      ['Started', wholeMoment(session.started)],
    ),
    h(
      'ol',
      { class: 'plain chain' },
      h(
        'li',
        { class: 'link genesis' },
        h('b', {}, 'begin'),
        h('p', { class: 'hash' }, h('code', {}, shortHash(session.genesis))),
      ),
      missing > 0 && h('li', { class: 'link' }, `${countOf(missing, 'thought')} not shown`),
      session.thoughts.map((thought) => link(app, thought)),
      sealOf(app, session),
    ),
  );
};

const draw = (app: App, id: string): HTMLElement => {
  if (id !== '') return one(app, id);
  const { sessions } = app.model;
  return h(
    'div',
    {},
    h('h1', { tabindex: '-1' }, 'Trail'),
    h('p', { class: 'lead' }, `${countOf(sessions.length, 'session')} of thoughts.`),
    sessions.length === 0
      ? none('No session is shown.')
      : h(
          'ul',
          { class: 'plain sessions' },
          sessions.slice(0, PAGE_LIMITS.sessions).map((session) => item(app, session)),
        ),
    sessions.length > PAGE_LIMITS.sessions && none(`${figureOf(sessions.length - PAGE_LIMITS.sessions)} more`),
  );
};

/** What the drawing of one session depends on. */
const sessionState = (app: App, id: string): string => {
  const session = app.model.sessions.find((found) => found.id === id);
  if (session === undefined) return '';
  const { log, finalized, thoughts, seal } = session;
  const standings = thoughts.map((thought) => standingOfRow(app, thought.log, 'thought', thought.id));
  return [finalized, numberIn(seal?.seq), standingOfRow(app, log, 'session', id), ...standings].join(' ');
};

export const TRAIL: View = {
  name: 'trail',
  title: 'Trail',
  count: ({ model }) => model.sessions.length,
  draw,
  state: (app, id) => (id === '' ? undefined : sessionState(app, id)),
};
