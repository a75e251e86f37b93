// The servers: how healthy each was over time, how fast it answered, and why it failed.

import type { JsonObject } from '../../proof/canonical-json.js';
import { grouped, numberIn, objectsIn, textIn } from '../model/read.js';
import type { HealthChange, ServerEntry } from '../model/servers.js';
import type { App, View } from './app.js';
import { type Child, h, hashOf, linkTo, svg } from './dom.js';
import { PAGE_LIMITS } from './limits.js';
import { chip, notProved, standingMark, standingOfRecord, toneOf } from './marks.js';
import { facts, none, section, table } from './parts.js';
import { clockOf, countOf, cutTo, figureOf, spanOf, wholeMoment } from './words.js';

interface Span {
  readonly state: string;
  readonly from: number;
  readonly to: number;
}

const spansOf = (changes: readonly HealthChange[], from: number, to: number): readonly Span[] => {
  const spans: Span[] = [];
  let [state, since] = [changes[0]?.from ?? '', from];
  for (const change of changes) {
    const at = Date.parse(change.at);
    if (at > since && state !== '') spans.push({ state, from: since, to: at });
    [state, since] = [change.to, at];
  }
  if (state !== 'removed' && to > since) spans.push({ state, from: since, to });
  return spans;
};

const stripOf = (changes: readonly HealthChange[], { first, last }: App['model'], who: string): SVGElement => {
  const [from, to] = [Date.parse(first), Math.max(Date.parse(last), Date.parse(first) + 1)];
  const x = (at: number): number => ((at - from) / (to - from)) * 100;
  const spans = spansOf(changes, from, to);
  const words = spans.map(({ state, from: begin, to: end }) => `${state} ${spanOf(end - begin)}`).join(', ');
  return svg(
    'svg',
    { class: 'strip', role: 'img', 'aria-label': `${who}: ${words}` },
    spans.map(({ state, from: begin, to: end }) => {
      const wide = Math.max(0.3, x(end) - x(begin));
      const says = `${state} from ${wholeMoment(new Date(begin).toISOString())}, ${spanOf(end - begin)}`;
      return [
        svg(
          'rect',
          { class: `span ${toneOf(state)}`, x: `${x(begin)}%`, y: 0, width: `${wide}%`, height: '100%' },
          svg('title', {}, says),
        ),
        wide >= PAGE_LIMITS.stripLetter &&
          svg('text', { class: 'letter', x: `${x(begin)}%`, dx: 7, y: 16 }, state.slice(0, 1)),
      ];
    }),
  );
};

const liveRows = ({ data }: App, server: string) =>
  objectsIn(data.unproved.servers).filter((row) => row.server === server);

const lastState = ({ changes }: ServerEntry): string => changes.at(-1)?.to ?? '';

/** What the process says of the server besides its state: tools that wait for a yes, tools that are left out. */
const notesOf = ({ notes }: JsonObject): readonly string[] =>
  textIn(notes)
    .split('\n')
    .filter((note) => note !== '');

const nowOf = (app: App, entry: ServerEntry): Child => {
  const [row] = liveRows(app, entry.server);
  if (row === undefined)
    return lastState(entry) === ''
      ? null
      : [chip(lastState(entry)), h('span', { class: 'dim' }, ' in the last record')];
  const next = textIn(row.next_at);
  return [
    chip(textIn(row.state)),
    ' ',
    notProved(),
    textIn(row.reason) !== '' && h('p', { class: 'sub' }, textIn(row.reason)),
    notesOf(row).map((note) => h('p', { class: 'sub' }, note)),
    next !== '' && h('p', { class: 'sub' }, `next try ${clockOf(next, app.now())}`),
  ];
};

/** A process by its client and pid, as its records name them, and its id: the beginning of ids is the time, so their ends tell them apart. */
const processWords = ({ model }: App, instance: string): string => {
  const client = model.calls.find(({ enter, client: name }) => enter?.instance === instance && name !== '')?.client;
  const boot = model.events.find((record) => record.kind === 'boot' && record.instance === instance);
  const pid = numberIn(boot?.pid);
  const known = [client, pid !== undefined && `pid ${pid}`].filter(Boolean).join(' ');
  return `process \u2026${instance.slice(-PAGE_LIMITS.idChars)}${known === '' ? '' : ` (${known})`}`;
};

const strips = (app: App, { changes, server }: ServerEntry): Child => {
  if (changes.length === 0) return none('No record of a change of its health is shown.');
  const all = [...grouped(changes, ({ instance }) => instance)];
  return all
    .slice(-PAGE_LIMITS.stripProcesses)
    .map(([instance, own]) =>
      h(
        'div',
        { class: 'strip-row' },
        all.length > 1 &&
          h('span', { class: 'dim', title: instance }, cutTo(processWords(app, instance), PAGE_LIMITS.nameChars)),
        stripOf(own, app.model, `${server}, ${processWords(app, instance)}`),
      ),
    );
};

const failures = ({ failures: found }: ServerEntry): Child =>
  found.length === 0
    ? null
    : h(
        'ul',
        { class: 'failures' },
        found.map(([how, n]) => h('li', {}, `${figureOf(n)} \u00d7 ${how}`)),
      );

const msOf = (ms: number | undefined): string => (ms === undefined ? '\u2013' : `${figureOf(ms)} ms`);

const serverCard = (app: App, entry: ServerEntry): HTMLElement =>
  h(
    'section',
    { class: 'card server' },
    h(
      'h2',
      {},
      linkTo(hashOf('servers', entry.server), { class: 'row', 'data-key': `server ${entry.server}` }, entry.server),
      ' ',
      nowOf(app, entry),
    ),
    strips(app, entry),
    facts(
      ['Attempts', figureOf(entry.calls)],
      ['p50', msOf(entry.p50Ms)],
      ['p99', msOf(entry.p99Ms)],
      ['Failed', figureOf(entry.failures.reduce((sum, [, n]) => sum + n, 0))],
    ),
    failures(entry),
  );

const HEADS = [
  { title: 'Time' },
  { title: 'From' },
  { title: 'To' },
  { title: 'Why', kind: 'wide' },
  { title: 'Record', kind: 'num' },
  { title: 'Proof' },
];

const changeRow = (app: App, { at, from, to, cause, detail, seq, log }: HealthChange): Child[] => [
  h('time', { title: wholeMoment(at) }, clockOf(at, app.now())),
  chip(from),
  chip(to),
  [cause, detail].filter((word) => word !== '').join(': '),
  figureOf(seq),
  standingMark(standingOfRecord(app, log, seq)),
];

const one = (app: App, name: string): HTMLElement => {
  const entry = app.model.servers.find(({ server }) => server === name);
  const back = h('p', { class: 'back' }, linkTo(hashOf('servers'), {}, '\u2190 All servers'));
  if (entry === undefined)
    return h('div', {}, back, h('h1', { tabindex: '-1' }, name), none('No record about this server is shown.'));
  const changes = entry.changes.toReversed();
  return h(
    'article',
    {},
    back,
    h('h1', { tabindex: '-1' }, name),
    serverCard(app, entry),
    section(
      'Changes of its health',
      changes.length === 0
        ? none('None.')
        : table(
            countOf(changes.length, 'change'),
            HEADS,
            changes.slice(0, PAGE_LIMITS.healthChanges).map((change) => changeRow(app, change)),
          ),
    ),
  );
};

const draw = (app: App, id: string): HTMLElement => {
  if (id !== '') return one(app, id);
  const { servers, first, last } = app.model;
  const live = objectsIn(app.data.unproved.servers).map(({ server }) => textIn(server));
  const bare = [...new Set(live)].filter((name) => !servers.some(({ server }) => server === name));
  const entries = [
    ...servers,
    ...bare.map((server) => ({ server, changes: [], calls: 0, failures: [], p50Ms: undefined, p99Ms: undefined })),
  ];
  const legend = ['HEALTHY', 'STARTING', 'PROBATION', 'UNHEALTHY', 'QUARANTINE'].map((state) => [chip(state), ' ']);
  return h(
    'div',
    {},
    h('h1', { tabindex: '-1' }, 'Servers'),
    entries.length === 0
      ? none('No server is behind this Colibri.')
      : [
          h(
            'p',
            { class: 'lead' },
            `Health from ${wholeMoment(first)} to ${wholeMoment(last)}; times and failures of the shown calls.`,
          ),
          h('p', { class: 'legend' }, legend),
          entries.map((entry) => serverCard(app, entry)),
        ],
  );
};

export const SERVERS: View = { name: 'servers', title: 'Servers', count: ({ model }) => model.servers.length, draw };
