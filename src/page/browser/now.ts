// The first view: what runs, what waits, what went wrong, and what the page covers.
import type { JsonObject } from '../../proof/canonical-json.js';
import { aboutCall, type CallEntry, endedBadly, errorWords } from '../model/calls.js';
import { numberIn, objectIn, objectsIn, textIn } from '../model/read.js';
import type { App, View } from './app.js';
import { type Child, h, hashOf, linkTo, longText } from './dom.js';
import { eventWords } from './events.js';
import { PAGE_LIMITS } from './limits.js';
import { chip, notProved, standingOfRow } from './marks.js';
import { card, none, section } from './parts.js';
import { clockOf, countOf, cutTo, figureOf, spanOf, tookOf, wholeMoment } from './words.js';

export const callLink = ({ log, seq, tool, call }: CallEntry): HTMLAnchorElement =>
  linkTo(hashOf('calls', `${log}/${seq}`), { class: 'row', 'data-key': call }, cutTo(tool, PAGE_LIMITS.nameChars));

/** The first line of the words of an error, without the code, which stands beside them. */
export const shortWords = (call: CallEntry): string => {
  const [line = ''] = errorWords(call).trim().split('\n');
  const code = `${call.code}: `;
  return cutTo(call.code !== '' && line.startsWith(code) ? line.slice(code.length) : line, PAGE_LIMITS.errorChars);
};

const callItem = (app: App, call: CallEntry): HTMLElement =>
  h(
    'li',
    {},
    h('div', { class: 'line' }, h('time', {}, clockOf(call.at, app.now())), chip(call.outcome), callLink(call)),
    h(
      'div',
      { class: 'sub' },
      [cutTo(aboutCall(call), PAGE_LIMITS.listChars), call.code, shortWords(call)]
        .filter((word) => word !== '')
        .join(' \u00b7 '),
    ),
  );

/** The newest of the calls; `place` has all of them. */
const callList = (app: App, calls: readonly CallEntry[], empty: string, place: string): Child => {
  if (calls.length === 0) return none(empty);
  const left = calls.length - PAGE_LIMITS.nowCalls;
  return [
    h(
      'ul',
      { class: 'plain' },
      calls.slice(0, PAGE_LIMITS.nowCalls).map((call) => callItem(app, call)),
    ),
    left > 0 && h('p', {}, linkTo(place, { 'data-key': place }, `and ${figureOf(left)} more`)),
  ];
};

const tile = (figure: string, label: string, place: string, mark: Child = null): HTMLElement =>
  linkTo(place, { class: 'tile' }, h('b', {}, figure), ' ', h('span', {}, label), ' ', mark);

const tilesOf = (app: App): HTMLElement => {
  const { model } = app;
  const open = model.tasks.filter(({ status }) => status !== 'DONE' && status !== 'CANCELLED');
  const isProved = open.every(({ log, id }) => standingOfRow(app, log, 'task', id) !== 'not proved');
  const trouble = model.calls.filter(endedBadly).length;
  const times = model.calls.flatMap(({ tookUs }) => tookUs ?? []).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return h(
    'div',
    { class: 'tiles' },
    tile(figureOf(model.calls.length), 'calls', hashOf('calls')),
    tile(figureOf(trouble), 'did not end well', hashOf('calls', 'failed')),
    tile(tookOf(median), 'median of a call', hashOf('calls')),
    tile(figureOf(open.length), 'open tasks', hashOf('tasks'), isProved ? null : notProved()),
    tile(figureOf(model.sessions.length), model.sessions.length === 1 ? 'session' : 'sessions', hashOf('trail')),
  );
};

const serverItem = (app: App, row: JsonObject): HTMLElement => {
  const { server, state, since, reason, p50_ms: p50, p99_ms: p99 } = row;
  const name = textIn(server);
  const times = typeof p50 === 'number' ? `p50 ${p50} ms, p99 ${numberIn(p99) ?? '\u2013'} ms` : '';
  const age = spanOf(Date.parse(app.now()) - Date.parse(textIn(since)));
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      chip(textIn(state)),
      linkTo(hashOf('servers', name), { class: 'row', 'data-key': `server ${name}` }, name),
      h('span', { class: 'dim' }, `for ${age}`),
    ),
    h('div', { class: 'sub' }, [textIn(reason), times].filter((word) => word !== '').join(' \u00b7 ')),
  );
};

const serversCard = (app: App): HTMLElement => {
  const rows = objectsIn(app.data.unproved.servers);
  return card(
    'Servers now',
    notProved(),
    rows.length === 0
      ? none('No running process has servers behind it.')
      : h(
          'ul',
          { class: 'plain' },
          rows.map((row) => serverItem(app, row)),
        ),
  );
};

const leasesCard = (app: App): HTMLElement => {
  const rows = objectsIn(app.data.unproved.leases);
  const item = ({ task, holder, until }: JsonObject): HTMLElement =>
    h(
      'li',
      {},
      h(
        'div',
        { class: 'line' },
        linkTo(hashOf('tasks', textIn(task)), { class: 'row' }, textIn(task)),
        h('span', {}, textIn(holder)),
        h('span', { class: 'dim' }, `until ${clockOf(textIn(until), app.now())}`),
      ),
    );
  return card(
    'Who works on what',
    notProved(),
    rows.length === 0 ? none('Nobody holds a lease.') : h('ul', { class: 'plain' }, rows.map(item)),
  );
};

/** Calls that wait for a person's yes, with the arguments that are kept beside their records. */
const waitingCard = (app: App): HTMLElement | null => {
  const rows = objectsIn(app.data.unproved.waiting);
  if (rows.length === 0) return null;
  const asked = (id: string): Child => {
    const args = app.model.calls.find(({ call }) => call === id)?.args;
    return args === undefined
      ? none('The arguments are not in this page; colibri approvals shows them.')
      : longText(JSON.stringify(args, null, 2));
  };
  const item = ({ id, server, tool, call, since, until }: JsonObject): HTMLElement =>
    h(
      'li',
      {},
      h(
        'div',
        { class: 'line' },
        chip('waiting'),
        h('b', {}, `${textIn(tool)} of ${textIn(server)}`),
        h(
          'span',
          { class: 'dim' },
          `since ${clockOf(textIn(since), app.now())}, until ${clockOf(textIn(until), app.now())}`,
        ),
      ),
      asked(textIn(call)),
      h('div', { class: 'sub' }, h('code', {}, `colibri approve ${textIn(id)}`)),
    );
  const waiting = card('Waits for a yes', notProved(), h('ul', { class: 'plain' }, rows.map(item)));
  waiting.classList.add('waiting');
  return waiting;
};

const processesCard = ({ data, now }: App): HTMLElement => {
  const rows = objectsIn(data.unproved.processes);
  const item = ({ pid, started_at: since, node }: JsonObject): HTMLElement =>
    h(
      'li',
      {},
      h(
        'div',
        { class: 'line' },
        h('b', {}, `process ${numberIn(pid) ?? '?'}`),
        h('span', { class: 'dim' }, `up ${spanOf(Date.parse(now()) - Date.parse(textIn(since)))}`),
        h('span', { class: 'dim' }, textIn(node)),
      ),
    );
  return card(
    'Processes',
    notProved(),
    rows.length === 0 ? none('No Colibri process was running.') : h('ul', { class: 'plain' }, rows.map(item)),
  );
};

const eventItem = (app: App, record: JsonObject): HTMLElement =>
  h(
    'li',
    {},
    h(
      'div',
      { class: 'line' },
      h('time', {}, clockOf(textIn(record.at), app.now())),
      h('b', {}, textIn(record.kind)),
      h('span', {}, eventWords(record)),
    ),
  );

const draw = (app: App): HTMLElement => {
  const { model, data } = app;
  const trouble = model.calls.filter(endedBadly);
  const open = model.calls.filter(({ outcome }) => outcome === 'open');
  const made = `${data.project ?? 'All projects'}, ${app.live ? 'live' : `as of ${wholeMoment(data.made_at)}`}`;
  const span = model.first === '' ? '' : `, ${spanOf(Date.parse(model.last) - Date.parse(model.first))} of records`;
  return h(
    'div',
    {},
    h('h1', { tabindex: '-1' }, 'Now'),
    h('p', { class: 'lead' }, `${made}${span}, ${countOf(data.logs.length, 'log')}.`),
    tilesOf(app),
    waitingCard(app),
    h(
      'div',
      { class: 'grid' },
      card('Did not end well', null, callList(app, trouble, 'Every call ended well.', hashOf('calls', 'failed'))),
      h(
        'div',
        { class: 'stack' },
        card('Without outcome', null, callList(app, open, 'No call is open.', hashOf('calls', 'open'))),
        serversCard(app),
        leasesCard(app),
        processesCard(app),
      ),
    ),
    section(
      'Latest events',
      model.events.length === 0
        ? none('No other records are shown.')
        : h(
            'ul',
            { class: 'plain events' },
            model.events.slice(0, PAGE_LIMITS.nowEvents).map((record) => eventItem(app, record)),
          ),
    ),
    objectIn(data.unproved).note !== undefined && h('p', {}, textIn(data.unproved.note)),
  );
};

export const NOW: View = { name: 'now', title: 'Now', draw };
