// One thought, as several views show it.
import type { ThoughtEntry } from '../model/tasks.js';
import type { App } from './app.js';
import { h, longText } from './dom.js';
import { standingMark, standingOfRow } from './marks.js';
import { clockOf } from './words.js';

export const thoughtBlock = (app: App, thought: ThoughtEntry): HTMLElement =>
  h(
    'div',
    { class: 'thought' },
    h(
      'p',
      { class: 'line' },
      h('time', {}, clockOf(thought.at, app.now())),
      h('b', {}, thought.type),
      h('span', {}, thought.agent),
      standingMark(standingOfRow(app, thought.log, 'thought', thought.id)),
    ),
    thought.content === null
      ? h('p', { class: 'none' }, 'Its text was erased or left out; its digest is in the record.')
      : longText(thought.content, { class: 'prose' }),
  );
