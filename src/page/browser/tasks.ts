// The tasks: a board by state, and one task with its history, who did it and why.

import { objectsIn, textIn } from '../model/read.js';
import type { TaskEntry, TaskEvent } from '../model/tasks.js';
import type { App, View } from './app.js';
import { type Child, h, hashOf, linkTo, longText } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { chip, markUnlessProved, notProved, standingMark, standingOfRecord, standingOfRow } from './marks.js';
import { callLink } from './now.js';
import { facts, none, section } from './parts.js';
import { thoughtBlock } from './thoughts.js';
import { clockOf, countOf, cutTo, figureOf, wholeMoment } from './words.js';

const STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'];

const leaseOf = ({ data }: App, id: string): string =>
  textIn(objectsIn(data.unproved.leases).find(({ task }) => task === id)?.holder);

const cardOf = (app: App, task: TaskEntry): HTMLElement => {
  const holder = leaseOf(app, task.id);
  return h(
    'li',
    { class: task.priority === 'urgent' ? 'task urgent' : 'task' },
    linkTo(
      hashOf('tasks', task.id),
      { class: 'row', 'data-key': task.id },
      h('span', { class: 'id' }, task.id),
      ' ',
      cutTo(task.title, PAGE_LIMITS.listChars),
    ),
    markUnlessProved(standingOfRow(app, task.log, 'task', task.id)),
    h(
      'div',
      { class: 'sub' },
      [
        task.priority === 'normal' ? '' : task.priority,
        holder === '' ? task.assignee : `${holder} works on it`,
        task.attempt > 1 ? `attempt ${task.attempt}` : '',
      ]
        .filter((word) => word !== '')
        .join(' \u00b7 '),
    ),
  );
};

const column = (app: App, state: string): Child => {
  const tasks = app.model.tasks.filter(({ status }) => status === state).reverse();
  if (tasks.length === 0) return null;
  return h(
    'section',
    { class: 'column' },
    h('h2', {}, state, ' ', h('span', { class: 'dim' }, figureOf(tasks.length))),
    h(
      'ul',
      { class: 'plain' },
      tasks.slice(0, PAGE_LIMITS.boardTasks).map((task) => cardOf(app, task)),
    ),
    tasks.length > PAGE_LIMITS.boardTasks && none(`${figureOf(tasks.length - PAGE_LIMITS.boardTasks)} more`),
  );
};

const wordsOf = ({ call, steps, changed }: TaskEvent, id: string): string => {
  const first = steps[0];
  if (first !== undefined) return [textIn(first.from), ...steps.map(({ to }) => textIn(to))].join(' \u2192 ');
  if (call.tool === 'task_create') return 'created';
  if (changed.includes('lease')) return call.tool === 'task_next_actions' ? 'claimed' : 'lease';
  return changed.includes('task') ? `${id} changed` : 'note';
};

const eventItem = (app: App, id: string, event: TaskEvent): HTMLElement => {
  const { call, thoughts } = event;
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      h('time', { title: wholeMoment(call.at) }, clockOf(call.at, app.now())),
      h('b', {}, wordsOf(event, id)),
      h(
        'span',
        { class: 'dim' },
        [call.agent, call.client].filter((word, i, all) => word !== '' && all.indexOf(word) === i).join(' / '),
      ),
      callLink(call),
      h('span', { class: 'dim' }, `record ${figureOf(call.seq)}`),
      standingMark(standingOfRecord(app, call.log, call.seq)),
    ),
    thoughts.map((thought) => thoughtBlock(app, thought)),
  );
};

const one = (app: App, id: string): HTMLElement => {
  const task = app.model.tasks.find((found) => found.id === id);
  const back = h('p', { class: 'back' }, linkTo(hashOf('tasks'), {}, '\u2190 All tasks'));
  if (task === undefined)
    return h(
      'div',
      {},
      back,
      h('h1', { tabindex: '-1' }, id),
      none('This task is not among the records that are shown.'),
    );
  const holder = leaseOf(app, id);
  const needs = task.needs.map((other) => [linkTo(hashOf('tasks', other), {}, other), ' ']);
  return h(
    'article',
    {},
    back,
    h(
      'h1',
      { tabindex: '-1' },
      `${task.id} `,
      chip(task.status),
      ' ',
      standingMark(standingOfRow(app, task.log, 'task', task.id)),
    ),
    h('p', { class: 'lead title' }, task.title),
    task.description !== '' && longText(task.description, { class: 'prose' }),
    facts(
      ['Priority', task.priority],
      ['Attempt', String(task.attempt)],
      ['Assignee', task.assignee || 'nobody'],
      holder === '' ? null : ['Works on it', [holder, ' ', notProved()]],
      needs.length === 0 ? null : ['Needs', needs],
      ['Created', wholeMoment(task.created)],
      ['Changed', wholeMoment(task.updated)],
    ),
    section(
      'History',
      task.history.length === 0
        ? none('None of its records is shown.')
        : h(
            'ol',
            { class: 'plain history' },
            task.history.map((event) => eventItem(app, id, event)),
          ),
    ),
  );
};

const draw = (app: App, id: string): HTMLElement => {
  if (id !== '') return one(app, id);
  const { tasks } = app.model;
  return h(
    'div',
    {},
    h('h1', { tabindex: '-1' }, 'Tasks'),
    h(
      'p',
      { class: 'lead' },
      `${countOf(tasks.length, 'task')}, as the newest rows have them. A task that no shown record proves is marked.`,
    ),
    tasks.length === 0
      ? none('No task is shown.')
      : h(
          'div',
          { class: 'board' },
          STATES.map((state) => column(app, state)),
        ),
  );
};

export const TASKS_VIEW: View = { name: 'tasks', title: 'Tasks', count: ({ model }) => model.tasks.length, draw };
