// Formats the output of `colibri status` for people: one labelled fact a line, coloured where somebody should act.
import { count, figure, sumUpTo, upTo } from '../../core/figures.js';
import { isTerminal, TASK_STATES } from '../../domains/tasks/state-machine.js';
import { CLI_LIMITS } from '../limits.js';
import { nodeLines } from '../nodes/list.js';
import { bytesText } from '../screen/bytes.js';
import { field, wholeField } from '../screen/fields.js';
import { type Colour, paint } from '../screen/print.js';
import { ago, clock } from '../screen/time.js';
import type { HeadStanding, LogStatus } from './ledger.js';
import type { Status } from './status.js';

const projectText = ({ project }: Status): string =>
  project.name === null ? project.rule : `${project.name} (${project.rule})\nid ${project.id} (${project.id_rule})`;

const identityNote = ({ project }: Status, width: number): readonly string[] =>
  project.id_note === null ? [] : painted('yellow', field('', project.id_note, width));

const storeText = ({ store }: Status): string => {
  const each = store.records === 0 ? '' : `, ${bytesText(Math.round(store.bytes / store.records))} a record`;
  return [
    `${store.path}`,
    `(${store.rule})`,
    `${bytesText(store.bytes)}, ${count(store.records, 'record')}${each}`,
    `grew by ${count(store.last_24_h, 'record')} in 24 h, ${figure(store.last_7_d)} in 7 d`,
  ].join('\n');
};

/** The text about the newest known head of a log, and the text's colour if somebody should act. */
const HEADS: Readonly<Record<HeadStanding, { readonly colour?: Colour; readonly text: (log: LogStatus) => string }>> = {
  same: { text: ({ known_head }) => `newest known head: ${figure(known_head.size)}, the same` },
  behind: { text: ({ known_head }) => `newest known head: ${figure(known_head.size)}, and the log continues it` },
  none: { colour: 'yellow', text: () => 'no head is known outside the store yet: a rollback would not show' },
  unreadable: { colour: 'red', text: ({ known_head }) => known_head.problem ?? 'the heads cannot be read' },
  lost: {
    colour: 'red',
    text: ({ known_head, size, log }) =>
      `THE STORE WENT BACK: ${count(known_head.size, 'record')} of ${log} were signed, this store has ${figure(size)}${size < known_head.size ? '' : ' others'}. See: colibri restore`,
  },
};

const nodesText = ({ nodes = [] }: Status, width: number): readonly string[] =>
  nodes.flatMap((node) => nodeLines(node).flatMap((line, i) => field(i === 0 ? 'node' : '', line, width)));

const painted = (colour: Colour | undefined, lines: readonly string[]): readonly string[] =>
  colour === undefined ? lines : lines.map((line) => paint(colour, line));

const signedText = ({ size, signed_size, signed_to }: LogStatus, nowMs: number): string => {
  if (signed_to === null) return 'nothing is signed yet';
  const rest = size - signed_size;
  const when = `${ago(signed_to, nowMs)} ago`;
  return rest === 0
    ? `all signed, the last record ${when}`
    : `signed up to ${figure(signed_size)} (${when}), ${figure(rest)} since`;
};

const logLines = (log: LogStatus, nowMs: number, width: number): string[] => {
  const { colour, text } = HEADS[log.known_head.standing];
  return [
    ...field('ledger', `log ${log.log}${log.own ? '' : ` of ${log.node}`}`, width),
    ...field('', `${count(log.size, 'record')}, ${signedText(log, nowMs)}`, width),
    ...field('', `root ${log.root}`, width),
    ...painted(colour, field('', text(log), width)),
  ];
};

const otherLogs = ({ other_logs, logs }: Status, width: number): string[] => {
  if (logs.length === 0) return field('ledger', 'no open log', width);
  return other_logs === 0 ? [] : field('', `${count(other_logs, 'other log')} in this store`, width);
};

const contradictionLines = ({ contradictions }: Status, width: number): string[] =>
  contradictions.flatMap((line) => field('', `${line} See: colibri restore`, width)).map((line) => paint('red', line));

const tasksText = ({ tasks }: Status): string => {
  const states = TASK_STATES.filter((state) => tasks.states[state] > 0);
  if (states.length === 0) return 'none';
  const most = CLI_LIMITS.lookTasks;
  const open = states.filter((state) => !isTerminal(state)).map((state) => tasks.states[state]);
  const each = states.map((state) => `${upTo(tasks.states[state], most)} ${state}`).join(', ');
  return `${sumUpTo(open, most)} open, ${upTo(tasks.blocked, CLI_LIMITS.lookRows)} blocked, ${upTo(tasks.leased, CLI_LIMITS.lookRows)} leased\n${each}`;
};

/** How many servers are in each state, such as `3 HEALTHY, 1 QUARANTINE`. */
const byState = (servers: Status['servers']): string => {
  const counts = new Map<string, number>();
  for (const { state } of servers) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, n]) => `${n} ${state}`).join(', ');
};

const serverLines = ({ servers, processes }: Status, nowMs: number, width: number): string[] => {
  if (servers.length === 0) return field('servers', 'no process with a switchboard runs', width);
  const sick = servers.filter(({ state }) => state !== 'HEALTHY');
  const several = processes.length > 1;
  const lines = sick.slice(0, CLI_LIMITS.statusServers).map(({ server, state, since, reason, pid }) => {
    const where = several ? ` in process ${pid}` : '';
    return `${server} ${state} for ${ago(since, nowMs)}${where}${reason === null ? '' : `: ${reason}`}`;
  });
  const left = sick.length - lines.length;
  if (left > 0) lines.push(`and ${left} more: colibri switchboard`);
  return [
    ...field('servers', byState(servers), width),
    ...painted(
      'yellow',
      lines.flatMap((line) => field('', line, width)),
    ),
  ];
};

const processLines = (
  { processes, dead_processes, dead_elsewhere, dead_calls }: Status,
  nowMs: number,
  width: number,
): string[] => {
  const shown = processes.slice(0, CLI_LIMITS.statusProcesses).map(({ pid, started_at, mode, version }) => {
    const what = [mode, version].filter((part) => part !== null).join(' ');
    return `pid ${pid}, up ${ago(started_at, nowMs)}${what === '' ? '' : `, ${what}`}`;
  });
  const left = processes.length - shown.length;
  if (shown.length === 0) shown.push('none runs');
  if (left > 0) shown.push(`and ${left} more`);
  const open = `${count(dead_calls, 'call')} open: the next server${dead_elsewhere > 0 ? ' of the same machine and user' : ''} closes ${dead_calls === 1 ? 'it' : 'them'}`;
  if (dead_processes > 0)
    shown.push(
      `${count(dead_processes, 'process', 'processes')} died and left ${dead_calls === 0 ? 'no call open' : open}`,
    );
  return field('processes', shown.join('\n'), width);
};

const todayLines = ({ today }: Status, nowMs: number, width: number): string[] => {
  const { ended, outcomes, running, unknown, counted_since } = today;
  const troubled = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  const each = Object.entries(outcomes).map(([outcome, n]) => `, ${figure(n)} ${outcome}`);
  const since = counted_since === null ? '' : ` (counted since ${clock(counted_since, nowMs)})`;
  const failed = (outcomes.failed ?? 0) + (outcomes.interrupted ?? 0);
  const sum = `${count(ended, 'call')}: ${figure(ended - troubled)} ok${each.join('')}, ${figure(running)} running`;
  const calls = field('today', `${ended + running === 0 ? 'no calls' : sum}${since}`, width);
  const perhaps =
    unknown === 0
      ? 'none: for every call it is known whether it had its effect'
      : `${count(unknown, 'call')} may or may not have had ${unknown === 1 ? 'its' : 'their'} effect: colibri log --outcome unknown`;
  return [
    ...painted(failed > 0 ? 'yellow' : undefined, calls),
    ...(failed > 0 ? field('', 'see: colibri log --failed --since today', width) : []),
    ...painted(unknown > 0 ? 'red' : undefined, field('unknown', perhaps, width)),
  ];
};

export const statusLines = (status: Status, nowMs: number, width: number): string[] => [
  ...field('project', projectText(status), width),
  ...identityNote(status, width),
  ...wholeField('store', storeText(status), width),
  ...status.logs.flatMap((log) => logLines(log, nowMs, width)),
  ...nodesText(status, width),
  ...otherLogs(status, width),
  ...contradictionLines(status, width),
  ...wholeField('custody', `key: ${status.custody.key}\nheads: ${status.custody.heads}`, width),
  ...field('covered', status.covered, width),
  ...field('not', status.not_covered, width),
  ...field('tasks', tasksText(status), width),
  ...serverLines(status, nowMs, width),
  ...processLines(status, nowMs, width),
  ...todayLines(status, nowMs, width),
];
