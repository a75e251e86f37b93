// The transitions of the health machine in words, as the table in docs/switchboard.md. A test tries every state with every event and fails on
// a transition without a row and on a row that never happens.
import type { EventType } from '../../src/switchboard/health/event.js';
import { HEALTH, type Health } from '../../src/switchboard/health/state.js';

export interface TableRow {
  readonly from: Health | 'any';
  readonly events: readonly EventType[];
  /** The event of the row, in words. */
  readonly when: string;
  /** The states that the event can lead to; `none`: the machine ends. */
  readonly to: readonly (Health | 'none')[];
  /** The consequence of the event, in words. */
  readonly then: string;
}

const row = (
  from: TableRow['from'],
  events: TableRow['events'],
  when: string,
  [to, then]: [TableRow['to'], string],
): TableRow => ({
  from,
  events,
  when,
  to,
  then,
});

export const TABLE: readonly TableRow[] = [
  row('STARTING', ['dialled'], 'handshake done and catalogue read', [['HEALTHY'], 'HEALTHY']),
  row(
    'STARTING',
    ['dial_failed', 'lost', 'dialled', 'throttled', 'tick'],
    'spawn error, exit, handshake refused, an empty catalogue where there was one, HTTP 429, or `startTimeoutMs` over (a slow check alone is not a failure)',
    [['UNHEALTHY'], 'UNHEALTHY, retry after 1, 2, 4 … 60 s ± 10 %; after 429 when the server says'],
  ),
  row('HEALTHY', ['check_failed', 'call_failed'], '1st, 2nd failure of a signal in a row', [
    ['HEALTHY'],
    'HEALTHY; at the 2nd (`afterFailures`) the capability check runs at once',
  ]),
  row(
    'HEALTHY',
    ['check_failed', 'call_failed', 'lost'],
    '3rd failure of one signal in a row (`failuresToQuarantine`), or as many losses within `stabilityWindowMs`',
    [['QUARANTINE'], 'QUARANTINE for the cooldown; calls in flight may end by themselves'],
  ),
  row('HEALTHY', ['lost'], 'transport lost, 1st or 2nd in the window: one event, whatever was in flight', [
    ['STARTING'],
    'STARTING, dialled again at once; new calls wait up to 2 s for it, then are refused',
  ]),
  row('HEALTHY', ['catalogue_changed'], 'the catalogue is empty where it was not', [
    ['UNHEALTHY'],
    'UNHEALTHY, as after a failed dial',
  ]),
  row('HEALTHY', ['throttled'], 'HTTP 429 for a call or check', [
    ['HEALTHY'],
    'HEALTHY; calls are refused as `throttled` until `Retry-After` is over',
  ]),
  row('QUARANTINE', ['tick'], 'cooldown over', [['QUARANTINE'], 'QUARANTINE; a new dial begins']),
  row('QUARANTINE', ['dialled'], 'the new dial passes', [['PROBATION'], 'PROBATION']),
  row('QUARANTINE', ['dial_failed', 'lost', 'dialled', 'throttled', 'tick'], 'the new dial fails', [
    ['UNHEALTHY'],
    'UNHEALTHY',
  ]),
  row('UNHEALTHY', ['dialled'], 'a retry passes', [['PROBATION'], 'PROBATION']),
  row('UNHEALTHY', ['dial_failed', 'lost', 'dialled', 'throttled', 'tick'], 'a retry fails', [
    ['UNHEALTHY'],
    'UNHEALTHY, next retry later',
  ]),
  row('PROBATION', ['permit_taken'], 'a call asks for the one permit, no capability check is configured', [
    ['PROBATION'],
    'PROBATION; the call is the one request, others are refused until it ends',
  ]),
  row('PROBATION', ['tick', 'settings_changed'], 'a capability check is configured', [
    ['PROBATION'],
    'PROBATION; the check is the one request, calls are refused until it ends',
  ]),
  row(
    'PROBATION',
    ['call_answered', 'check_passed', 'throttled', 'auth_required'],
    'its request was answered: a result (`isError` too), any JSON-RPC error, HTTP 403 or 429 for a call; the check, as expected',
    [['HEALTHY'], 'HEALTHY'],
  ),
  row(
    'PROBATION',
    ['call_failed', 'check_failed', 'lost'],
    'its request failed (silence, a wrong answer to the check), transport lost, or 3 readiness failures in a row',
    [['QUARANTINE'], 'QUARANTINE, cooldown doubled (up to `cooldownMaxMs`, ± 10 %)'],
  ),
  row(
    'PROBATION',
    ['call_cancelled', 'call_not_sent', 'check_cancelled', 'call_failed', 'settings_changed'],
    'its request was cancelled, stopped before it was sent, or sent before the machine slept',
    [['PROBATION'], 'PROBATION, permit given back'],
  ),
  row(
    'PROBATION',
    ['check_passed', 'throttled'],
    '30 s without a request and, if a capability check is configured, its whole timeout without a result; then 2 readiness passes in a row',
    [['HEALTHY'], 'HEALTHY'],
  ),
  row('PROBATION', ['catalogue_changed'], 'the catalogue is empty where it was not', [
    ['UNHEALTHY'],
    'UNHEALTHY, as after a failed dial',
  ]),
  row('any', ['auth_required'], 'HTTP 401 from anything, 403 from a dial or check', [
    ['UNHEALTHY'],
    'UNHEALTHY, reason `auth_required`, retry every 5 min and on a change of the configuration',
  ]),
  row(
    'any',
    ['connection_changed'],
    'connection keys changed (`command`, `args`, `env`, `cwd`, `inheritEnv`, `url`, `headers`)',
    [
      ['STARTING', 'UNHEALTHY'],
      'STARTING with a new process, the old one takes no calls, drains, is closed; UNHEALTHY `not_approved` or `missing_variable` until a person acts',
    ],
  ),
  row('any', ['settings_changed'], 'other keys changed', [[...HEALTH], 'unchanged, applied in place']),
  row('QUARANTINE', ['asked'], 'a person asks for a retry or a restart', [
    ['QUARANTINE'],
    'QUARANTINE; a new dial begins at once; recorded, with who',
  ]),
  row('UNHEALTHY', ['asked'], 'a person asks for a retry or a restart', [
    ['UNHEALTHY'],
    'UNHEALTHY; a new dial begins at once, unless the server waits for a person; recorded, with who',
  ]),
  row('any', ['asked'], 'a person asks for a restart', [
    ['UNHEALTHY'],
    'UNHEALTHY, reason `restarted`, dialled again at once; calls in flight may end by themselves, the one of PROBATION does not',
  ]),
  row('any', ['removed'], 'removed from the configuration', [
    ['none'],
    'none; waiting calls refused (`removed`), drained, closed',
  ]),
  row('any', [], 'an event of an earlier dial (every event carries its dial number)', [[...HEALTH], 'ignored']),
  row('any', ['tick'], 'a tick more than 30 s late (the machine slept)', [
    [...HEALTH],
    'unchanged; pending failures dropped, all checks run now',
  ]),
];

/** The table of transitions as Markdown, as docs/switchboard.md has it. */
export const healthTable = (): string =>
  [
    '| from | event | to |',
    '|---|---|---|',
    ...TABLE.map(({ from, when, then }) => `| ${from} | ${when} | ${then} |`),
  ].join('\n');

/** Whether the table permits that an event leads from one state to another. Staying in a state is always permitted. */
export const isInTable = (from: Health, event: EventType, to: Health | 'none'): boolean =>
  from === to ||
  TABLE.some(
    (line) =>
      (line.from === from || (line.from === 'any' && line.to.length < HEALTH.length)) &&
      line.events.includes(event) &&
      line.to.includes(to),
  );
