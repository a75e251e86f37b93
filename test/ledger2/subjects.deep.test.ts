// Rows whose records contradict each other, each record by itself as good as any: verify follows every row through all logs.

import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.js';
import { grow, rootOf } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import type { Frontier } from '../../src/proof/merkle.js';
import { checksumOf } from '../../src/store/sqlite/migrate.js';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.js';
import { verifyStore } from '../../src/verify/verify.js';
import { forgeTail } from '../support/forged-tail.js';
import { claim } from '../tasks/lease.shared.js';
import { type Answer, handClock, MINUTE, openTaskTools, type TaskTools, taskIn } from '../tasks/task-tools.js';
import { Forger } from './forger.js';

const verdictOf = (path: string) =>
  verifyStore({ path, scope: { kind: 'store' }, headsDir: join(dirname(path), 'heads'), workers: 0 });

const linesOf = async (path: string): Promise<{ exit: number; text: string }> => {
  const { exit, findings } = await verdictOf(path);
  return { exit, text: findings.map(({ where, message }) => `${where.table} ${where.id}: ${message}`).join('\n') };
};

/** T-0001 INIT, T-0002 DONE, T-0003 in PLAN and waiting for T-0002, T-0004 in VERIFY in its second attempt, T-0005 claimed. */
const told = async (): Promise<TaskTools> => {
  const tools = await openTaskTools();
  await taskIn(tools, 'INIT');
  await taskIn(tools, 'DONE');
  await taskIn(tools, 'PLAN', { depends_on: ['T-0002'] });
  await taskIn(tools, 'VERIFY');
  for (const status of ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'])
    await tools.ok('task_update', { task_id: 'T-0004', status, ...(status === 'GATHER' && { note: 'again' }) });
  await tools.ok('task_create', { title: 'claimed', priority: 'urgent' });
  await claim(tools, 'worker', { lease_minutes: 60 });
  return tools;
};

const DONE_COLUMNS = { status: 'DONE', terminal: 1, stage: 9 };

type Attack = (forger: Forger) => void;

const step = (task_id: string, from: string, to: string, version: number, rest: Answer = {}): Answer => ({
  task_id,
  from,
  to,
  version,
  attempt: 1,
  ...rest,
});

const thoughtOf = (forger: Forger, task: string): string =>
  forger.row('SELECT thought_id FROM thoughts WHERE task_id = ?', task).thought_id;

/** T-0003 goes to APPLY, naming what was DONE. */
const apply =
  (done: unknown): Attack =>
  (forger) => {
    const { version } = forger.row('SELECT version FROM tasks WHERE n = 3');
    const subjects = [forger.task(3, { status: 'APPLY', stage: 1 })];
    const changes = [step('T-0003', 'PLAN', 'APPLY', version + 1)];
    forger.call({ subjects, changes, ...(done !== undefined && { done }) });
  };

/** T-0004 goes to DONE, naming a thought. */
const finish =
  (thought: (forger: Forger) => unknown): Attack =>
  (forger) => {
    const { version } = forger.row('SELECT version FROM tasks WHERE n = 4');
    const subjects = [forger.task(4, DONE_COLUMNS)];
    const named = thought(forger);
    const rest = { attempt: 2, ...(named !== undefined && { thought: named }) };
    forger.call({ subjects, changes: [step('T-0004', 'VERIFY', 'DONE', version + 1, rest)] });
  };

/** A thought about T-0004, which is in its second attempt. */
const thinking =
  (attempt: number): Attack =>
  (forger) =>
    forger.call({ subjects: [forger.thought('T-0004', { attempt })], attempt });

/** A move of T-0001, which is in INIT, whatever the steps say. */
const moved =
  (to: Answer, ...steps: readonly Answer[]): Attack =>
  (forger) => {
    forger.call({ subjects: [forger.task(1, to)], changes: steps });
  };

const ATTACKS: readonly (readonly [string, RegExp, Attack])[] = [
  [
    'revision 9 after 1',
    /tasks T-0001: is revision 9, but no record made revisions 2 to 8/,
    (forger) => forger.call({ subjects: [forger.task(1, { title: 'other' }, 9)] }),
  ],
  [
    'a change of a task that does not exist',
    /tasks T-9999: changes version 2, which this record did not make/,
    (forger) => forger.call({ changes: [step('T-9999', 'INIT', 'GATHER', 2)] }),
  ],
  [
    'VERIFY to DONE of a task in INIT',
    /tasks T-0001: leaves VERIFY with revision 2, but it was in INIT/,
    (forger) => {
      const thought = thoughtOf(forger, 'T-0002');
      moved(DONE_COLUMNS, step('T-0001', 'VERIFY', 'DONE', 2, { thought }))(forger);
    },
  ],
  [
    'INIT to DONE',
    /tasks T-0001: goes from INIT to DONE, which is not allowed/,
    moved(DONE_COLUMNS, step('T-0001', 'INIT', 'DONE', 2)),
  ],
  [
    'DONE without a change at all',
    /tasks T-0001: is in DONE, attempt 1; its records lead to INIT, attempt 1/,
    (forger) => forger.call({ subjects: [forger.task(1, DONE_COLUMNS)] }),
  ],
  [
    'a row in another state than its change says',
    /tasks T-0001: is in PLAN, attempt 1; its records lead to GATHER/,
    moved({ status: 'PLAN', stage: 2 }, step('T-0001', 'INIT', 'GATHER', 2)),
  ],
  [
    'steps that do not continue each other',
    /tasks T-0001: does not continue the step before it/,
    moved({ status: 'PLAN', stage: 2 }, step('T-0001', 'INIT', 'GATHER', 2), step('T-0001', 'ANALYZE', 'PLAN', 2)),
  ],
  [
    'an attempt that nobody began',
    /tasks T-0001: is in attempt 3 with revision 2, but it was in attempt 1/,
    moved({ status: 'GATHER', stage: 4, attempt: 3 }, step('T-0001', 'INIT', 'GATHER', 2, { attempt: 3 })),
  ],
  [
    'a change of a version that another call made',
    /tasks T-0001: changes version 1, which this record did not make/,
    moved({ title: 'x' }, step('T-0001', 'INIT', 'GATHER', 1)),
  ],
  [
    'a state that no task has',
    /tasks T-0001: names states that no task has: INIT, FINISHED/,
    moved({ title: 'x' }, step('T-0001', 'INIT', 'FINISHED', 2)),
  ],
  ['APPLY without what was DONE', /tasks T-0003: does not say which tasks were DONE/, apply(undefined)],
  [
    'APPLY, naming nothing though it waits',
    /tasks T-0003: its record names others as DONE than it depends on/,
    apply([]),
  ],
  [
    'APPLY, naming a task that was not DONE',
    /tasks T-0001: is named as DONE at revision 1, but it was in INIT/,
    apply([{ task_id: 'T-0001', version: 1 }]),
  ],
  [
    'APPLY, naming a version before DONE',
    /tasks T-0002: is named as DONE at revision 2, but it was in GATHER/,
    apply([{ task_id: 'T-0002', version: 2 }]),
  ],
  [
    'APPLY, naming a version that was never made',
    /tasks T-0002: is named as DONE at revision 70, which no record made/,
    apply([{ task_id: 'T-0002', version: 70 }]),
  ],
  [
    'APPLY, naming a task that never was',
    /tasks T-0077: is named as DONE at revision 1, which no record made/,
    apply([{ task_id: 'T-0077', version: 1 }]),
  ],
  ['APPLY, naming no list', /tasks undefined: done holds entries that Colibri never writes/, apply('all')],
  [
    'a task with an idempotency key and no digest of the request',
    /tasks T-0001: only one of idempotency_key and request_digest is there/,
    (forger) => forger.call({ subjects: [forger.task(1, { idempotency_key: 'k' })] }),
  ],
  ...['', 'AB'.repeat(16), 'ab'.repeat(15), 'ab'.repeat(17)].map((salt): readonly [string, RegExp, Attack] => [
    `a task with the salt "${salt}"`,
    /tasks T-0001: its salt is not 16 bytes in hex/,
    (forger) => forger.call({ subjects: [forger.task(1, { title: 'x' }, undefined, salt)] }),
  ]),
  [
    'a step because of a thought about another task, recorded with it',
    /tasks T-0001: names a thought about T-0002/,
    (forger) => {
      const because = thoughtOf(forger, 'T-0002');
      const { hash: digest } = forger.row('SELECT hash FROM thoughts WHERE thought_id = ?', because);
      const subjects = [
        forger.task(1, { status: 'GATHER', stage: 4 }),
        { type: 'thought', id: because, rev: 1, digest },
      ];
      forger.call({ subjects, changes: [step('T-0001', 'INIT', 'GATHER', 2, { because })] });
    },
  ],
  [
    'a thought of a type that there is not',
    /thoughts \S+: is of the type poem, which there is not/,
    (forger) => forger.db.exec("UPDATE thoughts SET type = 'poem'"),
  ],
  ['DONE without a thought', /tasks T-0004: names thought undefined, which is not there/, finish(() => undefined)],
  [
    'DONE, by a thought that is not there',
    /tasks T-0004: names thought mine, which is not there/,
    finish(() => 'mine'),
  ],
  [
    'DONE, by a thought about another task',
    /tasks T-0004: names a thought about T-0002/,
    finish((forger) => thoughtOf(forger, 'T-0002')),
  ],
  [
    'DONE, by a thought of the attempt before',
    /tasks T-0004: names a thought of attempt 1/,
    finish((forger) => thoughtOf(forger, 'T-0004')),
  ],
  [
    'a thought for a step that does not lead to DONE',
    /tasks T-0001: names a thought, which only a task that enters DONE does/,
    (forger) => {
      const thought = thoughtOf(forger, 'T-0002');
      moved({ status: 'GATHER', stage: 4 }, step('T-0001', 'INIT', 'GATHER', 2, { thought }))(forger);
    },
  ],
  [
    'a call that did not make the task',
    /tasks T-0001: call_no is 99, but call \d+ made it/,
    (forger) => forger.call({ subjects: [forger.task(1, { call_no: 99 })] }),
  ],
  ['a thought of an attempt that is over', /tasks T-0004: has a thought of attempt 1, in which/, thinking(1)],
  ['a thought of an attempt that has not begun', /tasks T-0004: has a thought of attempt 3, in which/, thinking(3)],
  [
    'a thought of an attempt that its own call begins',
    /tasks T-0004: has a thought of attempt 3, in which/,
    (forger) => {
      const { version } = forger.row('SELECT version FROM tasks WHERE n = 4');
      const subjects = [
        forger.task(4, { status: 'GATHER', stage: 4, attempt: 3 }),
        forger.thought('T-0004', { attempt: 3 }),
      ];
      const changes = [step('T-0004', 'VERIFY', 'GATHER', version + 1, { attempt: 3 })];
      forger.call({ subjects, changes, attempt: 3 });
    },
  ],
  [
    'an attempt without a thought',
    /thoughts undefined: an attempt is named, but no thought about a task was recorded/,
    (forger) => forger.call({ subjects: [forger.task(1, { title: 'x' })], attempt: 1 }),
  ],
  [
    'a thought before the one that it continues',
    /thoughts \S+: was recorded before the thought before it/,
    (forger) => {
      const first = forger.thought('T-0004', { attempt: 2 }, 2);
      const second = forger.thought('T-0004', { attempt: 2 });
      forger.call({ subjects: [second], attempt: 2 });
      forger.call({ subjects: [first], attempt: 2 });
    },
  ],
  [
    'a revision that is made twice',
    /tasks T-0002: is revision 2 already by record \d+ of log/,
    (forger) => {
      const { version } = forger.row('SELECT version FROM tasks WHERE n = 2');
      const subject = forger.task(2, { title: 'x' }, version);
      forger.call({ subjects: [{ ...subject, rev: 2 }] });
    },
  ],
  [
    'a session that a call closes',
    /sessions \S+: is revision 2 by a record of kind call\.exit/,
    (forger) => {
      const { session_id: id } = forger.row('SELECT session_id FROM sessions WHERE rev = 2');
      forger.call({ subjects: [{ type: 'session', id, rev: 2, digest: '0'.repeat(64) }] });
    },
  ],
  [
    'a thought of a second revision',
    /thoughts \S+: is revision 2, which no such row has/,
    (forger) => {
      const id = thoughtOf(forger, 'T-0002');
      forger.call({ subjects: [{ type: 'thought', id, rev: 2, digest: '0'.repeat(64) }] });
    },
  ],
];

describe('tasks', () => {
  it('that nobody forged have no findings', async () => {
    const { exit, findings } = await verdictOf((await told()).path);
    expect({ exit, findings }).toEqual({ exit: 10, findings: [] });
  });

  it('that are forged as they should be have none either: the forger does nothing else wrong', async () => {
    const { path } = await told();
    const forger = new Forger(path);
    moved({ status: 'GATHER', stage: 4 }, step('T-0001', 'INIT', 'GATHER', 2))(forger);
    apply([{ task_id: 'T-0002', version: forger.row('SELECT version FROM tasks WHERE n = 2').version }])(forger);
    thinking(2)(forger);
    forger.end();
    expect(await linesOf(path)).toEqual({ exit: 10, text: '' });
  });

  it('may take several steps in one record, also back to the beginning', async () => {
    const { path } = await told();
    const forger = new Forger(path);
    const { version } = forger.row('SELECT version FROM tasks WHERE n = 4');
    const at = { version: version + 1, attempt: 3 };
    const changes = [step('T-0004', 'VERIFY', 'GATHER', 0, at), step('T-0004', 'GATHER', 'ANALYZE', 0, at)];
    forger.call({ subjects: [forger.task(4, { status: 'ANALYZE', stage: 3, attempt: 3 })], changes });
    forger.end();
    expect(await linesOf(path)).toEqual({ exit: 10, text: '' });
  });

  /** T-0003 goes to APPLY as records of format 4 say it: one change, nothing about what was DONE. */
  const oldApply: Attack = (forger) => {
    const { version } = forger.row('SELECT version FROM tasks WHERE n = 3');
    const subjects = [forger.task(3, { status: 'APPLY', stage: 1 })];
    forger.call({ subjects, change: step('T-0003', 'PLAN', 'APPLY', version + 1) });
  };

  /** Takes the id of the store out of its first log, as if it were of format 4. Returns the id. */
  const unbind = (forger: Forger): string => {
    const { store_id } = forger.row('SELECT store_id FROM identity');
    const old = forger.db.prepare("SELECT id, body FROM actions WHERE kind = 'migrate'").all() as Answer[];
    for (const { id, body } of old) {
      const { store, ...rest } = JSON.parse(body);
      const { v, log, seq, at } = rest;
      const erase = { v, log, seq, at, kind: 'erase', targets: [], reason: 'none', by: 'test' };
      const text = canonicalJson(rest.to >= 5 ? erase : rest);
      const kind = rest.to >= 5 ? 'erase' : 'migrate';
      forger.db
        .prepare('UPDATE actions SET kind = ?, body = ?, leaf = ? WHERE id = ?')
        .run(kind, text, leafHash(text), id);
    }
    return store_id;
  };

  /** Appends the migration to format 5, which lists its own log with a size that is `less` smaller than it was. */
  const migrate = (path: string, store: string, less = 0): void => {
    const db = new Database(path);
    const { log_id: log, size } = db.prepare('SELECT log_id, size FROM logs').get() as Answer;
    const leaves = db
      .prepare('SELECT leaf FROM actions ORDER BY id LIMIT ?')
      .pluck()
      .all(size - less) as string[];
    let frontier: Frontier = [];
    for (const [i, leaf] of leaves.entries()) frontier = grow(frontier, i, leaf).frontier;
    db.close();
    const logs = [{ log, size: size - less, root: rootOf(frontier) }];
    const steps = MIGRATIONS.filter(({ version }) => version >= 5).map((migration) => ({
      ...{ kind: 'migrate', from: migration.version - 1, to: migration.version, checksum: checksumOf(migration) },
      ...(migration.version === 5 && { store, logs }),
    }));
    forgeTail(path, () => steps);
  };

  it.each<[string, RegExp | undefined, number, Attack | undefined]>([
    ['before the step to format 5: one change, nothing about what was DONE', undefined, 0, undefined],
    ['after the step to format 5', /Record \d+ has a `change`, which no record has since/, 0, oldApply],
    [
      'listed without its last records',
      /The log lists itself with \d+ records; its migration began after/,
      2,
      undefined,
    ],
  ])('with records of format 4, %s', async (_, says, less, after) => {
    const { path } = await told();
    const forger = new Forger(path);
    const store = unbind(forger);
    if (after === undefined) oldApply(forger);
    forger.end();
    migrate(path, store, less);
    const again = new Forger(path);
    after?.(again);
    again.end();
    const { exit, text } = await linesOf(path);
    if (says === undefined) expect({ exit, text }).toEqual({ exit: 10, text: '' });
    else expect({ exit, text }).toEqual({ exit: 20, text: expect.stringMatching(says) });
  });

  it.each<[string, Attack]>([
    ['to APPLY', oldApply],
    [
      'to DONE, without a thought',
      (forger) => {
        const { version } = forger.row('SELECT version FROM tasks WHERE n = 4');
        const change = step('T-0004', 'VERIFY', 'DONE', version + 1, { attempt: 2 });
        forger.call({ subjects: [forger.task(4, DONE_COLUMNS)], change });
      },
    ],
    [
      'beside `changes`',
      (forger) => {
        const changes = [step('T-0001', 'INIT', 'GATHER', 2)];
        const subjects = [forger.task(1, { status: 'GATHER', stage: 4 })];
        forger.call({ subjects, changes, change: changes[0] });
      },
    ],
    ['in an outcome that changes nothing', (forger) => forger.call({ change: step('T-0001', 'INIT', 'GATHER', 1) })],
  ])('with a record of format 4 in a log of format 5, %s', async (_, attack) => {
    const { path } = await told();
    const forger = new Forger(path);
    attack(forger);
    forger.end();
    const { exit, text } = await linesOf(path);
    expect(text).toMatch(/has a `change`, which no record has since format 5/);
    expect(exit).toBe(20);
  });

  it.each(ATTACKS)('%s', async (_, says, attack) => {
    const { path } = await told();
    const forger = new Forger(path);
    attack(forger);
    forger.end();
    const { exit, text } = await linesOf(path);
    expect(text).toMatch(says);
    expect(exit).toBe(20);
  });
});

const FREED = 'UPDATE leases SET flagged = 0; UPDATE tasks SET leased = 0';

describe('leases', () => {
  /** T-0001 was found run out and claimed again, by the holder of T-0002; T-0003 has run out, and nobody has found it so. */
  const leased = async (): Promise<TaskTools> => {
    const clock = handClock();
    const tools = await openTaskTools();
    for (const title of ['one', 'two', 'three']) await tools.ok('task_create', { title });
    await claim(tools, 'dead', { lease_minutes: 1 });
    clock.pass(MINUTE);
    await claim(tools, 'heir', { lease_minutes: 60 });
    await claim(tools, 'heir', { lease_minutes: 60, another: true });
    await claim(tools, 'late', { lease_minutes: 1 });
    clock.pass(MINUTE);
    return tools;
  };

  it('that ran out, were found so, or were not, have no findings', async () => {
    const tools = await leased();
    expect(await linesOf(tools.path)).toEqual({ exit: 10, text: '' });
    await claim(tools, 'nobody', { assignee: 'nobody' });
    expect((await tools.store.read((tx) => tx.get('SELECT flagged FROM leases WHERE task_n = 3')))?.flagged).toBe(0);
    expect(await linesOf(tools.path)).toEqual({ exit: 10, text: '' });
    const { lease_token } = (await claim(tools, 'heir', { task_id: 'T-0002' })) ?? {};
    await tools.ok('task_update', { task_id: 'T-0002', lease_token, release: true });
    expect(await linesOf(tools.path)).toEqual({ exit: 10, text: '' });
  });

  const FORGED: readonly (readonly [string, RegExp, Attack])[] = [
    [
      'a live lease freed by two derived columns',
      /leases T-0001: flagged is 0, but it was neither given back nor found run out/,
      (forger) => forger.db.exec(FREED),
    ],
    [
      'freed beside an acceptance that gives up no log',
      /leases T-0001: flagged is 0, but it was neither/,
      (forger) => {
        forger.db.exec(FREED);
        forger.append({ kind: 'accept', what: 'missing log', logs: [], reason: 'r', by: 'b' });
      },
    ],
    ...[
      ['that never was', () => 'ab'.repeat(16)] as const,
      ['that is here', (forger: Forger) => forger.log] as const,
    ].map(([which, logOf]): readonly [string, RegExp, Attack] => [
      `freed beside an acceptance that gives up a log ${which}`,
      /leases T-0001: flagged is 0, but it was neither/,
      (forger) => {
        forger.db.exec(FREED);
        const logs = [{ log: logOf(forger), size: 1, root: '0'.repeat(64) }];
        forger.append({ kind: 'accept', what: 'missing log', logs, reason: 'r', by: 'b' });
      },
    ]),
    [
      'freed with an older revision named as run out',
      /leases T-0001: flagged is 0, but it was neither/,
      (forger) => {
        forger.db.exec(FREED);
        forger.call({ expired: [{ task_id: 'T-0001', rev: 1 }] });
      },
    ],
    [
      'a revision named as run out twice',
      /leases T-0001: is named as run out twice at revision 1/,
      (forger) => forger.call({ expired: [{ task_id: 'T-0001', rev: 1 }] }),
    ],
    [
      'named as run out after the next revision was made',
      /leases T-0001: is named as run out at revision 1 after revision 2 was made/,
      (forger) => forger.call({ expired: [{ task_id: 'T-0001', rev: 1 }] }),
    ],
    [
      'a revision named as run out that was never made',
      /leases T-0002: is named as run out at revision 9, which no record made/,
      (forger) => forger.call({ expired: [{ task_id: 'T-0002', rev: 9 }] }),
    ],
    [
      'a lease named as run out that never was',
      /leases T-0044: is named as run out at revision 1, which no record made/,
      (forger) => forger.call({ expired: [{ task_id: 'T-0044', rev: 1 }] }),
    ],
    [
      'a lease that was found run out and still keeps its task',
      /leases T-0002: flagged is 1, but it is over/,
      (forger) => forger.call({ expired: [{ task_id: 'T-0002', rev: 1 }] }),
    ],
    [
      'a revision left out',
      /leases T-0002: is revision 3, but no record made revision 2/,
      (forger) => forger.call({ subjects: [forger.lease(2, { holder: 'me' }, 3)] }),
    ],
    [
      'a token that no claim gave',
      /leases T-0002: token 21474836480 was never given/,
      (forger) => forger.call({ subjects: [forger.lease(2, { token: 5 * 2 ** 32 })] }),
    ],
    ...[1, 2_000_001, 2 ** 32 - 1].map((token): readonly [string, RegExp, Attack] => [
      `token ${token}, below the first`,
      /leases T-0002: token \d+ was never given/,
      (forger) => forger.call({ subjects: [forger.lease(2, { token })] }),
    ]),
    [
      'a lease named as run out by the call that gives it',
      /leases T-0002: is named as run out by the record that made revision 2/,
      (forger) => {
        const subjects = [forger.lease(2, { holder: 'me', flagged: 0 })];
        forger.db.exec('UPDATE tasks SET leased = 0 WHERE n = 2');
        forger.call({ subjects, expired: [{ task_id: 'T-0002', rev: 2 }] });
      },
    ],
    [
      'no list of leases',
      /leases undefined: expired holds entries that Colibri never writes/,
      (forger) => forger.call({ expired: [{ task_id: 'T-2', rev: 1 }] }),
    ],
  ];

  it.each(FORGED)('%s', async (_, says, attack) => {
    const { path } = await leased();
    const forger = new Forger(path);
    attack(forger);
    forger.end();
    const { exit, text } = await linesOf(path);
    expect(text).toMatch(says);
    expect(exit).toBe(20);
  });
});
