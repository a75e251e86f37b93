// colibri tasks: the board, and one task with its history from the ledger.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { dataOf, json, usedStore } from '../support/command-line.js';
import { expectFits, peerOf } from '../support/command-output.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Message, type Peer, type Place, session } from '../support/serve.js';
import { colourless, hasTerminals, onTerminal } from '../support/terminal.js';
import { tasks } from './tasks.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

/** A place whose working directory is the project `hive`. */
const hive = (): Place => {
  const place = freshPlace();
  const dir = join(place.dir, 'hive');
  fs.mkdirSync(join(dir, '.git'), { recursive: true });
  place.env.COLIBRI_PROJECT_DIR = dir;
  return place;
};

const create = async (peer: Peer, args: Message): Promise<string> =>
  dataOf(await peer.call('task_create', args)).task_id;

const claim = async (peer: Peer, by: string): Promise<Message> =>
  dataOf(await peer.call('task_next_actions', { claim_by: by })).actions[0];

describe('the board', () => {
  test('counts by state, the first of each, who has it, what it waits for', async () => {
    const place = hive();
    const { value } = await session(place, async (peer) => {
      const first = await create(peer, { title: 'Clean the comb', priority: 'urgent' });
      const waiting = await create(peer, { title: 'Sell the honey', depends_on: [first] });
      for (let n = 0; n < 7; n++) await create(peer, { title: `Count bee ${n}`, priority: 'low' });
      const gone = await create(peer, { title: 'Never mind', assignee: 'bob' });
      await peer.call('task_update', { task_id: gone, status: 'CANCELLED', note: 'no' });
      await create(peer, { title: 'Elsewhere', project: 'moss' });
      const { task } = await claim(peer, 'ada');
      return { first, waiting, gone, claimed: task.task_id };
    });
    const ran = await tasks(place);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    const lines = ran.stdout.split('\n');
    expect(lines[0]).toBe('project hive: 9 open, 1 blocked, 1 leased, 0 done, 1 cancelled');
    expect(lines[1]).toBe('INIT 9');
    expect(lines[2]).toMatch(new RegExp(`^  ${value.claimed} +urgent +Clean the comb +ada +leased, \\d+ min left$`));
    expect(lines[3]).toMatch(new RegExp(`^  ${value.waiting} +normal +Sell the honey +waits for ${value.first}$`));
    expect(lines[7]).toBe('  … 4 more: colibri tasks --state INIT');
    expect(ran.stdout).toMatch(/CANCELLED 1\n {2}T-0010 +normal +Never mind +bob\n/);
    expect(ran.stdout).not.toContain('Elsewhere');

    expect((await tasks(place, '--of', 'moss')).stdout).toMatch(/^project moss: 1 open.*\nINIT 1\n {2}T-0011/);
    expect((await tasks(place, '--all')).stdout).toMatch(/^all projects: 10 open/);
    expect((await tasks(place, '--state', 'init', '--limit', '200')).stdout.match(/Count bee/g)).toHaveLength(7);
    const board = json(await tasks(place, '--assignee', 'bob', '--json'));
    expect(board).toMatchObject({ project: 'hive', assignee: 'bob', counts: { CANCELLED: 1, INIT: 0 }, blocked: null });
    expect(board.tasks).toMatchObject([{ task_id: value.gone, lease: null }]);
    const whole = json(await tasks(place, '--json'));
    expect(whole.tasks[0]).toMatchObject({ task_id: value.first, lease: { holder: 'ada' } });
    expect(whole.tasks[1]).toMatchObject({ task_id: value.waiting, blocked_by: [value.first] });
  });
});

describe('one task', () => {
  test('its history: every change with who, which record, from where to where and why', async () => {
    const place = hive();
    const peer = await peerOf(place, 'claude-code');
    const before = await create(peer, { title: 'Before it' });
    const id = await create(peer, {
      title: 'Clean the comb',
      description: 'All of it.\nSlowly.',
      depends_on: [before],
    });
    const after = await create(peer, { title: 'After it', depends_on: [id] });
    const answers: Message[] = [];
    const update = async (args: Message) => answers.push(await peer.call('task_update', { task_id: id, ...args }));
    await update({ status: 'GATHER', note: 'The smell was strange.' });
    await update({ priority: 'high' }); // no thought leads to this one
    await update({ status: 'ANALYZE' }); // nor to this
    await update({ title: 'Clean all combs' });
    await update({ depends_on: [] });
    await update({ note: 'Only a note.' });
    await peer.call('thought_record', { type: 'decision', content: 'Use smoke.', task_id: id, agent_id: 'eve' });
    await update({ status: 'APPLY' }); // refused: no revision
    await peer.end();
    const other = await peerOf(place, 'cursor');
    await other.call('task_get', { task_id: id });
    const { task, lease_token } = await claim(other, 'ada');
    expect(task.task_id).toBe(id);
    await other.call('task_update', { task_id: id, lease_token, note: 'Extends the lease.' });
    await other.call('task_update', { task_id: id, lease_token, release: true });
    await other.end();

    const ran = await tasks(place, id);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    expect(ran.stdout).toMatch(/^T-0002 {2}ANALYZE\ntitle +Clean all combs\n/);
    expect(ran.stdout).toContain(`unblocks  ${after}`);
    expect(ran.stdout).toContain("lease     none; the last was ada's");
    expect(ran.stdout).not.toContain('There is more');
    const { history, dependencies } = json(await tasks(place, id, '--json'));
    expect(dependencies).toEqual([]);
    expect(history.complete).toBe(true);
    const told = history.entries.map(({ what, client, agent }: Message) => [what, client, agent].join(' | '));
    expect(told).toEqual([
      `created, depends on ${before} | claude-code | `,
      'INIT → GATHER | claude-code | claude-code',
      'priority high | claude-code | ',
      'GATHER → ANALYZE | claude-code | ',
      'title or description changed | claude-code | ',
      'depends on none | claude-code | ',
      'note | claude-code | claude-code',
      'note | claude-code | eve',
      'claimed by ada | cursor | ada',
      'note | cursor | ada',
      'lease given back | cursor | ',
    ]);
    expect(history.entries[1]).toMatchObject({
      from: 'INIT',
      to: 'GATHER',
      seq: receiptOf(answers[0] ?? {})?.seq,
      call: receiptOf(answers[0] ?? {})?.call,
      thoughts: [{ type: 'analysis', content: 'The smell was strange.' }],
    });
    expect(ran.stdout).toMatch(/INIT → GATHER +claude-code +\d+\n +analysis [0-9a-f-]{36}: The smell was strange\.\n/);
    expect(ran.stdout).toMatch(/note +eve \(claude-code\) +\d+\n +decision [0-9a-f-]{36}: Use smoke\.\n/);
  });
});

describe.runIf(hasTerminals)('on a terminal', () => {
  test('as wide as it is', async () => {
    const { place } = await usedStore();
    for (const width of [50, 80]) {
      for (const args of [['tasks'], ['tasks', '1']]) {
        expectFits({ stdout: colourless(onTerminal(place, args, width).stdout) }, width);
      }
    }
  });
});
