// Where a call went: who could serve it, who was asked, and what servers said that were asked before the one that answered.
import type { JsonObject } from '../../proof/canonical-json.js';
import { attemptWords, type CallEntry, endedBadly } from '../model/calls.js';
import { numberIn, objectIn, objectsIn, textIn } from '../model/read.js';
import { type Child, hashOf, linkTo, longText } from './dom.js';
import { chip } from './marks.js';
import { none, section, table } from './parts.js';
import { figureOf } from './words.js';

const CANDIDATES = [
  { title: 'Server' },
  { title: 'Tool', kind: 'wide' },
  { title: 'State' },
  { title: 'Could get it' },
];
const ATTEMPTS = [
  { title: 'Server' },
  { title: 'Tool', kind: 'wide' },
  { title: 'Sent' },
  { title: 'How it ended' },
  { title: 'Took', kind: 'num' },
];

/** Tables whose cells need their heads to be understood: narrow screens show them beside each cell. */
const LABELLED = { class: 'labelled' };

/** Whether a candidate could get the call. For a server that was starting the call may have waited, and was sent then. */
const mayGet = ({ server, tool, state, eligible, reason }: JsonObject, attempts: readonly JsonObject[]): string => {
  const wasSent = attempts.some((one) => one.sent === true && one.server === server && one.tool === tool);
  if (state === 'STARTING' && wasSent) return 'the call waited for it and then was sent';
  return eligible === true ? 'yes' : `no${textIn(reason) === '' ? '' : `: ${textIn(reason)}`}`;
};

const candidateRow = (candidate: JsonObject, attempts: readonly JsonObject[]): Child[] => [
  linkTo(hashOf('servers', textIn(candidate.server)), {}, textIn(candidate.server)),
  textIn(candidate.tool),
  candidate.state === null ? 'not there' : chip(textIn(candidate.state)),
  mayGet(candidate, attempts),
];

const attemptRow = ({ server, tool, sent, how, code, duration_ms: ms }: JsonObject): Child[] => [
  textIn(server),
  textIn(tool),
  sent === true ? 'yes' : 'nothing',
  [textIn(how).replace('_', ' '), textIn(code)].filter((word) => word !== '').join(' '),
  `${figureOf(numberIn(ms) ?? 0)} ms`,
];

export const routeOf = (call: CallEntry): Child => {
  const { exit } = call;
  if (exit?.route === undefined) return null;
  const route = objectIn(exit.route);
  const name = textIn(route.name);
  const [candidates, attempts] = [objectsIn(route.candidates), objectsIn(route.attempts)];
  return section(
    name === '' ? 'Where it went' : `Route ${name}`,
    candidates.length > 0 &&
      table(
        'Who could serve it, in this order',
        CANDIDATES,
        candidates.map((one) => candidateRow(one, attempts)),
        LABELLED,
      ),
    attempts.length === 0
      ? none('No server was tried.')
      : table('Attempts', ATTEMPTS, attempts.map(attemptRow), LABELLED),
    attemptWords(call).map((words) => longText(words, { class: 'error' })),
    exit.texts !== undefined &&
      call.words === undefined &&
      !endedBadly(call) &&
      none('What a server had said before another one answered is not in this page.'),
  );
};
