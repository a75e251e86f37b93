// One call, opened: what was asked, where it went and why, how it ended, and what proves it.
import type { JsonObject } from '../../proof/canonical-json.js';
import { canonicalJson, parseObject } from '../../proof/canonical-json.js';
import { approvalsOf } from '../model/approvals.js';
import { aboutCall, type CallEntry, endedBadly, errorWords } from '../model/calls.js';
import { logIdOf } from '../model/model.js';
import { numberIn, objectIn, objectsIn, textIn } from '../model/read.js';
import type { App } from './app.js';
import { pageHashes } from './checking.js';
import { proofButton } from './copy-proof.js';
import { type Child, h, hashOf, linkTo, longText } from './dom.js';
import { answeredBy } from './events.js';
import { PAGE_LIMITS } from './limits.js';
import { chip, standingMark, standingOfRecord } from './marks.js';
import { facts, none, section } from './parts.js';
import { routeOf } from './route.js';
import { thoughtBlock } from './thoughts.js';
import { clockOf, cutTo, figureOf, tookOf, wholeMoment } from './words.js';

const ARGUMENTS: Readonly<Record<string, string>> = {
  stored: 'Erased, pruned or left out of this page; the record keeps their digest.',
  digest: 'Only their digest was kept.',
  empty: 'None were given, or none but texts that the tool keeps itself.',
  none: 'Not kept.',
};

const argumentsOf = ({ args, enter }: CallEntry): Child => {
  if (args !== undefined) return longText(JSON.stringify(args, null, 2));
  if (enter === undefined) return none('The record of the intent is not in this page.');
  return none(ARGUMENTS[textIn(enter.args)] ?? 'Not kept.');
};

const errorOf = (call: CallEntry): Child => {
  if (!endedBadly(call)) return null;
  const words = errorWords(call);
  const what =
    words === '' ? none('The words of the error are not in this page.') : longText(words, { class: 'error' });
  const isSaid = call.code === '' || words.startsWith(call.code);
  return section('Error', !isSaid && h('p', {}, h('code', {}, call.code)), what);
};

/** The definition of the tool that the model was shown: the intent has its digest. */
const definitionOf = ({ data }: App, { enter, log }: CallEntry): Child => {
  const digest = textIn(enter?.definition);
  if (digest === '') return null;
  const found = data.logs.find((one) => logIdOf(one) === log)?.definitions.find(([name]) => name === digest)?.[1];
  const unlisted =
    enter?.unlisted === true ? 'The client never asked for the tool: this is what it would have been shown.' : '';
  return section(
    'Definition the model saw',
    unlisted !== '' && h('p', {}, unlisted),
    found === undefined
      ? none('Its text is not in this page: erased, left out, or not stored when the process died.')
      : h(
          'details',
          {},
          h(
            'summary',
            {},
            textIn(parseObject(found).description).slice(0, PAGE_LIMITS.listChars) || 'The whole definition',
          ),
          longText(JSON.stringify(parseObject(found), null, 2)),
        ),
    h('p', { class: 'hash' }, 'digest ', h('code', {}, digest)),
  );
};

const approvalStep = (app: App, record: JsonObject): HTMLElement => {
  const [log, seq] = [textIn(record.log), numberIn(record.seq) ?? 0];
  const reason = textIn(record.reason);
  return h(
    'li',
    { class: 'line' },
    h('time', { title: wholeMoment(textIn(record.at)) }, clockOf(textIn(record.at), app.now())),
    chip(textIn(record.state)),
    answeredBy(record),
    reason !== '' && h('span', {}, reason),
    h('span', { class: 'dim' }, `record ${figureOf(seq)}`),
    standingMark(standingOfRecord(app, log, seq)),
  );
};

/** Who was asked about the call, what they answered, and when it was used. */
const approvalOf = (app: App, call: CallEntry): Child => {
  const records = approvalsOf(call, app.model.events);
  return (
    records.length > 0 &&
    section(
      'Approval',
      h(
        'ol',
        { class: 'plain' },
        records.map((record) => approvalStep(app, record)),
      ),
    )
  );
};

const changesOf = ({ exit }: CallEntry): Child => {
  const steps = objectsIn(exit?.changes ?? (exit?.change === undefined ? [] : [exit.change]));
  const rows = objectsIn(exit?.subjects);
  if (steps.length + rows.length === 0) return null;
  const step = (one: JsonObject): HTMLElement =>
    h(
      'li',
      {},
      linkTo(hashOf('tasks', textIn(one.task_id)), {}, textIn(one.task_id)),
      ` ${textIn(one.from)} \u2192 ${textIn(one.to)}, attempt ${String(one.attempt)}`,
    );
  const row = (one: JsonObject): HTMLElement =>
    h('li', {}, `${textIn(one.type)} ${textIn(one.id)}, revision ${String(one.rev)}`);
  return section('What it changed', h('ul', {}, steps.map(step), rows.map(row)));
};

const whoOf = ({ enter, agent }: CallEntry): string => {
  const { name, version, protocol } = objectIn(enter?.client);
  const client =
    textIn(name) === '' ? 'unknown client' : `${textIn(name)} ${textIn(version)}, protocol ${textIn(protocol)}`;
  const host = Object.entries(objectIn(enter?.host)).map(([key, value]) => `${key} ${String(value)}`);
  return [agent, client, ...host].filter((word) => word !== '').join(', ');
};

const recordFact = (app: App, what: string, record: JsonObject | undefined): Child => {
  if (record === undefined) return h('p', { class: 'none' }, `The ${what} is not in this page.`);
  const [log, seq] = [textIn(record.log), numberIn(record.seq) ?? 0];
  const leaf = pageHashes.leaf(canonicalJson(record));
  return h(
    'div',
    { class: 'record' },
    h('p', {}, h('b', {}, `${what}: record ${figureOf(seq)}`), ' ', standingMark(standingOfRecord(app, log, seq))),
    h('p', { class: 'hash' }, 'leaf ', h('code', {}, leaf)),
    h('details', {}, h('summary', {}, 'The record as it is in the log'), longText(JSON.stringify(record, null, 2))),
  );
};

const findCall = ({ model }: App, id: string): CallEntry | undefined => {
  const [log = '', seq = ''] = id.split('/');
  return (
    model.calls.find((call) => call.log === log && (String(call.seq) === seq || String(call.enter?.seq) === seq)) ??
    model.calls.find((call) => call.call.startsWith(id))
  );
};

/** What the drawing of a call depends on. */
export const callState = (app: App, id: string): string => {
  const call = findCall(app, id);
  if (call === undefined) return '';
  const { log, seq, enter, exit } = call;
  const standings = [enter, exit].map((record) => standingOfRecord(app, log, numberIn(record?.seq) ?? seq));
  return [log, seq, ...standings, approvalsOf(call, app.model.events).length].join(' ');
};

export const callArticle = (app: App, id: string): HTMLElement => {
  const call = findCall(app, id);
  const back = h('p', { class: 'back' }, linkTo(hashOf('calls'), { 'data-key': 'back' }, '\u2190 All calls'));
  if (call === undefined)
    return h(
      'div',
      {},
      back,
      h('h1', { tabindex: '-1' }, 'Call'),
      none('This call is not among the records that are shown.'),
    );
  const thoughts = app.model.thoughts.filter(({ log, recordSeq }) => log === call.log && recordSeq === call.seq);
  const result = textIn(call.exit?.result_digest);
  return h(
    'article',
    {},
    back,
    h('h1', { tabindex: '-1' }, cutTo(call.tool, PAGE_LIMITS.listChars), ' ', chip(call.outcome)),
    h('p', { class: 'lead title' }, cutTo(aboutCall(call), PAGE_LIMITS.listChars)),
    facts(
      ['Began', wholeMoment(call.at)],
      ['Took', tookOf(call.tookUs)],
      ['Who', whoOf(call)],
      ['Effect', call.effect || 'not recorded'],
      ['Call', h('code', {}, call.call)],
    ),
    errorOf(call),
    section('Arguments', argumentsOf(call)),
    approvalOf(app, call),
    definitionOf(app, call),
    routeOf(call),
    changesOf(call),
    thoughts.length > 0 &&
      section(
        'Thoughts',
        thoughts.map((thought) => thoughtBlock(app, thought)),
      ),
    section(
      'Proof',
      recordFact(app, 'Intent', call.enter),
      recordFact(app, 'Outcome', call.exit),
      result !== '' &&
        h(
          'p',
          { class: 'hash' },
          'digest of the answer ',
          h('code', {}, result),
          '; its salt is in the receipt, which the client has',
        ),
      proofButton(app, call.log, call.seq),
    ),
  );
};
