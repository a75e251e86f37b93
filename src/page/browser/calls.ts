// The calls: a timeline, filters, and a list of which each row leads to one call.

import { aboutCall, type CallEntry, endedBadly } from '../model/calls.js';
import { isTime } from '../model/read.js';
import type { App, CallFilters, View } from './app.js';
import { callArticle, callState } from './call.js';
import { type Child, h, hashOf } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { chip } from './marks.js';
import { callLink, shortWords } from './now.js';
import { button, none, pager, table } from './parts.js';
import { LIST } from './redraw.js';
import { timeline } from './timeline.js';
import { clockOf, countOf, cutTo, figureOf, tookOf, wholeMoment } from './words.js';

const haystacks = new WeakMap<CallEntry, string>();

/** The text that a search looks through; made when it is first needed. */
const haystackOf = (call: CallEntry): string => {
  const known = haystacks.get(call);
  if (known !== undefined) return known;
  const parts = [call.tool, call.code, call.call, call.client, call.agent, aboutCall(call), ...call.servers];
  const text = `${parts.join('\n')}\n${JSON.stringify([call.args, call.words])}`.toLowerCase();
  haystacks.set(call, text);
  return text;
};

const isWho = ({ client, agent }: CallEntry, who: string): boolean => who === client || who === agent;

const isOutcome = (call: CallEntry, wanted: string): boolean =>
  wanted === 'failed*' ? endedBadly(call) : call.outcome === wanted;

const matching = (
  calls: readonly CallEntry[],
  { outcome, tool, server, who, text }: CallFilters,
): readonly CallEntry[] => {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return calls.filter(
    (call) =>
      (outcome === '' || isOutcome(call, outcome)) &&
      (tool === '' || call.tool === tool) &&
      (server === '' || call.servers.includes(server)) &&
      (who === '' || isWho(call, who)) &&
      words.every((word) => haystackOf(call).includes(word)),
  );
};

const HEADS = [
  { title: 'Time' },
  { title: 'Outcome' },
  { title: 'Call', kind: 'wide' },
  { title: 'Server', kind: 'minor' },
  { title: 'Who', kind: 'minor' },
  { title: 'Took', kind: 'num' },
  { title: 'Record', kind: 'num minor' },
];

const rowOf = (app: App, call: CallEntry): Child[] => [
  h('time', { datetime: call.at, title: wholeMoment(call.at) }, clockOf(call.at, app.now())),
  [chip(call.outcome), call.code !== '' && h('span', { class: 'code' }, call.code)],
  [
    callLink(call),
    h('span', { class: 'about' }, cutTo(aboutCall(call), PAGE_LIMITS.listChars)),
    endedBadly(call) && shortWords(call) !== '' && h('span', { class: 'about words' }, shortWords(call)),
  ],
  call.servers.slice(0, 2).join(', '),
  [call.agent, call.client].filter((word, i, all) => word !== '' && all.indexOf(word) === i).join(' / '),
  tookOf(call.tookUs),
  figureOf(call.seq),
];

const listOf = (app: App): Child => {
  const { filters, model, redraw } = app;
  const found = matching(model.calls, filters);
  const pages = Math.max(1, Math.ceil(found.length / PAGE_LIMITS.listRows));
  filters.page = Math.min(filters.page, pages - 1);
  const rows = found.slice(filters.page * PAGE_LIMITS.listRows, (filters.page + 1) * PAGE_LIMITS.listRows);
  const caption =
    found.length === model.calls.length
      ? countOf(found.length, 'call')
      : `${figureOf(found.length)} of ${countOf(model.calls.length, 'call')}`;
  const go = (page: number): void => {
    filters.page = page;
    redraw();
  };
  return [
    timeline(found),
    rows.length === 0
      ? none('No call matches.')
      : table(
          caption,
          HEADS,
          rows.map((call) => rowOf(app, call)),
          { class: 'calls' },
        ),
    pager(filters.page, pages, go),
    app.older !== undefined &&
      h(
        'p',
        { class: 'pager' },
        button('Load older records', app.older),
        ' ',
        app.newest !== undefined && button('Back to the newest', () => backToNewest(app)),
      ),
  ];
};

const backToNewest = ({ filters, newest }: App): void => {
  filters.until = '';
  newest?.();
};

const unique = (values: readonly string[]): readonly string[] =>
  [...new Set(values)].filter((value) => value !== '').sort();

interface Choice {
  readonly name: 'outcome' | 'tool' | 'server' | 'who';
  readonly label: string;
  readonly values: readonly (readonly [value: string, label: string])[];
}

const choices = ({ model: { calls } }: App): readonly Choice[] => {
  const same = (values: readonly string[]) => unique(values).map((value) => [value, value] as const);
  return [
    {
      name: 'outcome',
      label: 'Outcome',
      values: [
        ['failed*', 'did not end well'],
        ...unique(calls.map(({ outcome }) => outcome)).map(
          (value) => [value, value === 'open' ? 'no outcome' : value.replace('_', ' ')] as const,
        ),
      ],
    },
    { name: 'tool', label: 'Tool', values: same(calls.map(({ tool }) => tool)) },
    { name: 'server', label: 'Server', values: same(calls.flatMap(({ servers }) => servers)) },
    { name: 'who', label: 'Agent or client', values: same(calls.flatMap(({ client, agent }) => [client, agent])) },
  ];
};

/** Where a live page goes back to: it has the newest records only. */
const untilField = ({ filters, newest }: App, until: (moment: string) => void): HTMLElement => {
  const field = h('input', {
    type: 'datetime-local',
    step: 1,
    value: filters.until,
    'data-key': 'filter until',
    on: {
      change: () => {
        filters.until = field.value;
        if (isTime(field.value)) until(new Date(field.value).toISOString());
        else newest?.();
      },
    },
  });
  return h('label', {}, h('span', {}, 'Up to'), field);
};

const filterBar = (app: App): HTMLElement => {
  const set = (name: Choice['name'] | 'text', value: string): void => {
    app.filters[name] = value;
    app.filters.page = 0;
    app.redraw();
  };
  const valueIn = (event: Event): string =>
    event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement ? event.target.value : '';
  const select = ({ name, label, values }: Choice): HTMLElement =>
    h(
      'label',
      {},
      h('span', {}, label),
      h(
        'select',
        { 'data-key': `filter ${name}`, on: { change: (event) => set(name, valueIn(event)) } },
        h('option', { value: '' }, 'all'),
        values.map(([value, words]) =>
          h('option', { value, selected: app.filters[name] === value }, cutTo(words, PAGE_LIMITS.choiceChars)),
        ),
      ),
    );
  const text = h('input', {
    type: 'search',
    id: 'search',
    'data-key': 'search',
    placeholder: 'tool, argument, error, id',
    value: app.filters.text,
    on: { input: (event) => set('text', valueIn(event)) },
  });
  return h(
    'div',
    { class: 'filters', role: 'search' },
    h('label', { class: 'grow' }, h('span', {}, 'Text'), text),
    choices(app).map(select),
    app.until !== undefined && untilField(app, app.until),
  );
};

/** The places in this view that are a filter, and the outcome that each asks for. */
const FILTERED: Readonly<Record<string, string>> = { failed: 'failed*', open: 'open' };

const draw = (app: App, id: string): HTMLElement => {
  if (Object.hasOwn(FILTERED, id)) {
    Object.assign(app.filters, { outcome: FILTERED[id], tool: '', server: '', who: '', text: '', page: 0 });
    history.replaceState(null, '', hashOf('calls'));
  } else if (id !== '') return callArticle(app, id);
  return h('div', {}, h('h1', { tabindex: '-1' }, 'Calls'), filterBar(app), h('div', { id: LIST }, listOf(app)));
};

export const CALLS: View = {
  name: 'calls',
  title: 'Calls',
  count: ({ model }) => model.calls.length,
  draw,
  state: (app, id) => (id === '' ? undefined : callState(app, id)),
};
