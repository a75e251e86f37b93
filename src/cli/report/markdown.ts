// One task as Markdown: what was asked, what was decided and why, what was done, what that proves, and how to check it. Pure.
import { count } from '../../core/figures.js';
import { plain, plainBut } from '../../core/plain.js';
import { aboutCall, type CallEntry, endedBadly, errorWords } from '../../page/model/calls.js';
import type { PageModel } from '../../page/model/model.js';
import { objectIn, textIn } from '../../page/model/read.js';
import type { TaskEntry, TaskEvent, ThoughtEntry } from '../../page/model/tasks.js';
import type { PageVerdict } from '../../proof/page-check.js';
import { nameOfRow } from '../../proof/page-rows.js';
import { CLI_LIMITS } from '../limits.js';
import { keyOptions } from '../page/key-options.js';
import { stamp } from '../screen/time.js';

export interface TaskStory {
  readonly task: TaskEntry;
  readonly model: PageModel;
  readonly verdict: PageVerdict;
  readonly madeAt: string;
}

/**
 * What Markdown or HTML could take for markup: brackets and signs anywhere; underscores, but not inside a word; the colon of an address and the
 * dot of `www.`, so that nothing becomes a link; what begins a list, a rule or a heading.
 */
const MARKUP = /[\\`*{}[\]<>#|~$&^=@]|(?<!\w)_|_(?!\w)|:(?=\/\/)|(?<=\bwww)\.|^[-+]|(?<=^\d+)[.)]/gi;

/** A text of others on one line, so that none of it is markup. Addresses do not become links, because `:` and `/` are escaped too. */
const inline = (text: string): string => plain(text.replace(/\s+/g, ' ').trim()).replace(MARKUP, (char) => `\\${char}`);

/** A text of others, quoted line by line. */
const quoted = (text: string): string[] => {
  const whole = plainBut(text, '\n').trim();
  const lines = whole.slice(0, CLI_LIMITS.reportTextChars).toWellFormed().split('\n');
  const left = whole.length - CLI_LIMITS.reportTextChars;
  return [
    ...lines.map((line) => `> ${inline(line)}`.trimEnd()),
    ...(left > 0 ? [`> … ${count(left, 'more character')}`] : []),
  ];
};

const whoOf = ({ agent, client }: CallEntry): string =>
  [...new Set([agent, client].filter((word) => word !== ''))].join(', ') || 'somebody';

const recordOf = ({ log, seq }: CallEntry): string => `${log.slice(0, 8)}/${seq}`;

const askedLines = ({ task }: TaskStory): string[] => {
  const { title, description, priority, created, history } = task;
  const [first] = history;
  const by = first === undefined ? '' : `, by ${inline(whoOf(first.call))}`;
  return [
    '## What was asked',
    '',
    `**${inline(title)}** (${stamp(created)}${by}; priority ${inline(priority)})`,
    ...(description === '' ? [] : ['', ...quoted(description)]),
  ];
};

const decisionLines = (thought: ThoughtEntry): string[] => [
  '',
  `- **${inline(thought.type)}**, ${stamp(thought.at)}${thought.agent === '' ? '' : `, ${inline(thought.agent)}`}, record ${thought.log.slice(0, 8)}/${thought.recordSeq}`,
  '',
  ...(thought.content === null
    ? ['  *erased or left out; its digest is in the record*']
    : quoted(thought.content).map((line) => `  ${line}`)),
];

const decidedLines = ({ task, model }: TaskStory): string[] => {
  const sessions = new Set(model.sessions.filter((session) => session.task === task.id).map(({ id }) => id));
  const thoughts = model.thoughts
    .filter((one) => one.task === task.id || sessions.has(one.session))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));
  return [
    '## What was decided, and why',
    ...(thoughts.length === 0 ? ['', 'No reasons were recorded.'] : thoughts.flatMap(decisionLines)),
  ];
};

const stepWords = ({ steps, call, changed }: TaskEvent): string => {
  if (steps.length > 0) return [textIn(steps[0]?.from), ...steps.map(({ to }) => textIn(to))].join(' → ');
  if (call.tool === 'task_create') return 'created';
  return changed.length === 0 ? 'note' : `${changed.join(' and ')} changed`;
};

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const doneLines = ({ task }: TaskStory): string[] => [
  '## What was done',
  '',
  row(['time', 'what', 'who', 'call', 'record']),
  row(['---', '---', '---', '---', '---']),
  ...task.history.map((event) =>
    row([
      stamp(event.call.at),
      inline(stepWords(event)),
      inline(whoOf(event.call)),
      inline(event.call.tool),
      recordOf(event.call),
    ]),
  ),
];

const troubleLines = ({ model }: TaskStory): string[] => {
  const trouble = model.calls.filter(endedBadly).toReversed();
  if (trouble.length === 0) return [];
  return [
    '## What did not end well',
    ...trouble.flatMap((call) => [
      '',
      `- ${stamp(call.at)} ${inline(call.tool)}: ${inline(call.outcome)} ${inline(call.code)} (${inline(aboutCall(call))}), record ${recordOf(call)}`,
      ...(errorWords(call) === '' ? [] : ['', ...quoted(errorWords(call)).map((line) => `  ${line}`)]),
    ]),
    '',
  ];
};

const provedLines = ({ task, model, verdict }: TaskStory): string[] => {
  const log = verdict.logs.find((one) => one.log === task.log);
  const isProved = log?.proved.has(nameOfRow('task', task.id)) === true;
  const seals = model.sessions.filter((session) => session.task === task.id && session.seal !== undefined);
  const unsigned = verdict.logs.reduce((sum, one) => sum + one.unsigned, 0);
  return [
    '## What this proves',
    '',
    `- ${isProved ? 'The task stands as written here: its row has the digest that a record under the signature names.' : 'The row of the task is not proved: the record that last changed it is not shown.'}`,
    ...verdict.logs.map(
      (one) =>
        `- ${count(one.shown, 'record')} of log ${one.log} ${one.shown === 1 ? 'is' : 'are'} under its signature over ${count(one.signed, 'record')}; ${count(one.size - one.shown, 'record')} not shown.`,
    ),
    ...seals.map(
      ({ id, recordCount }) =>
        `- Session ${inline(id)} is sealed: ${count(recordCount ?? 0, 'thought')}; none can be added, changed or left out.`,
    ),
    ...(unsigned === 0 ? [] : [`- ${count(unsigned, 'record')} not signed yet.`]),
    '- It does not prove what the agent did with tools of its own client, which do not pass through Colibri, nor whose the key is.',
  ];
};

const checkLines = ({ task, verdict }: TaskStory): string[] => [
  '## How to check it',
  '',
  'Whoever has the store writes the page of this task, and anybody checks it, in a browser or with the key from elsewhere:',
  '',
  '```sh',
  `colibri page --task ${task.id} --out ${task.id}.html`,
  `colibri verify ${task.id}.html ${keyOptions(verdict.logs)}`,
  '```',
  ...(verdict.logs.length > 1
    ? ['', ...verdict.logs.map(({ log, vkey }) => `- The key of log ${log}: \`${vkey}\``)]
    : []),
];

export const taskMarkdown = (report: TaskStory): string => {
  const { task, madeAt } = report;
  const last = objectIn(task.history.at(-1)?.steps.at(-1));
  const since = textIn(last.to) === task.status ? ` since ${stamp(task.history.at(-1)?.call.at ?? '')}` : '';
  return [
    `# ${task.id}: ${inline(task.title)}`,
    '',
    `${inline(task.status)}${since}, attempt ${task.attempt}, ${task.assignee === '' ? 'assigned to nobody' : `assigned to ${inline(task.assignee)}`}. As of ${stamp(madeAt)}.`,
    '',
    ...askedLines(report),
    '',
    ...decidedLines(report),
    '',
    ...doneLines(report),
    '',
    ...troubleLines(report),
    ...provedLines(report),
    '',
    ...checkLines(report),
    '',
  ].join('\n');
};
