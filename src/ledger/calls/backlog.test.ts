import { describe, expect, it } from 'vitest';
import { now, openLedger } from '../../../test/support/stores.js';
import { ColibriError } from '../../errors.js';
import { LEDGER_LIMITS } from '../limits.js';
import { Backlog } from './backlog.js';
import { type Ending, type Intent, Pair } from './pair.js';

const intent = (call: string): Intent => ({ at: now(), call, tool: 'server_ping', client: null, args: { n: 1 } });
const ending = (call: string): Ending => ({ kind: 'call.exit', at: now(), call, tool: 'server_ping', outcome: 'ok' });

describe('Backlog', () => {
  it('hands over pairs and outcomes, all marked late', async () => {
    const { store, ledger, records } = await openLedger();
    const pair = await ledger.enter(intent('open'));
    const sequenceNo = pair.seq ?? -1;
    const backlog = new Backlog();
    backlog.addPair(intent('a'), ending('a'));
    backlog.addOutcome(pair, ending('open'));
    await backlog.flush(store, ledger);
    expect(backlog.isEmpty).toBe(true);
    const calls = (await records()).filter((record) => 'call' in record);
    expect(calls.map(({ kind, call, late, sequence_no }) => [kind, call, late, sequence_no])).toEqual([
      ['call.enter', 'open', undefined, sequenceNo],
      ['call.enter', 'a', true, sequenceNo + 1],
      ['call.exit', 'a', true, sequenceNo + 1],
      ['call.exit', 'open', true, sequenceNo],
    ]);
  });

  it('counts what does not fit and says so in one gap', async () => {
    const { store, ledger, records } = await openLedger();
    const backlog = new Backlog();
    const count = LEDGER_LIMITS.latePairs + 3;
    for (let i = 0; i < count; i++) backlog.addPair(intent(`c${i}`), { ...ending(`c${i}`), at: `t${i}` });
    await backlog.flush(store, ledger);
    const gaps = (await records()).filter((record) => record.kind === 'gap');
    expect(gaps).toMatchObject([{ count: 3, first_at: 't256', last_at: 't258', reason: 'backlog full' }]);
    expect((await records()).filter((record) => record.kind === 'call.exit')).toHaveLength(LEDGER_LIMITS.latePairs);
    await backlog.flush(store, ledger);
    expect((await records()).filter((record) => record.kind === 'gap')).toHaveLength(1);
  });

  it('ends while calls keep coming faster than the store writes', async () => {
    const { store, ledger, records } = await openLedger();
    const backlog = new Backlog();
    let calls = 0;
    const more = () => backlog.addPair(intent(`c${calls}`), ending(`c${calls++}`));
    for (let i = 0; i < 3; i++) more();
    const slow: typeof store = Object.assign(Object.create(store), {
      write: (...write: Parameters<typeof store.write>) => {
        if (calls < 1_000) more();
        return store.write(...write);
      },
    });
    await backlog.flush(slow, ledger);
    expect(calls).toBe(6);
    expect((await records()).filter(({ kind }) => kind === 'call.exit')).toHaveLength(3);
    await backlog.flush(store, ledger);
    expect(backlog.isEmpty).toBe(true);
  });

  it('appends nothing to a ledger that was halted', async () => {
    const { store, ledger, records } = await openLedger();
    const backlog = new Backlog();
    backlog.addPair(intent('a'), ending('a'));
    const before = await records();
    ledger.halt(new ColibriError('STORE_CORRUPT', 'test'));
    await backlog.flush(store, ledger);
    await expect(store.write((tx) => ledger.pair(tx, intent('b'), ending('b')))).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });
    expect(await records()).toEqual(before);
    expect(backlog.isEmpty).toBe(false);
  });

  it('keeps everything when the ledger will not take it', async () => {
    const { store, ledger, records } = await openLedger();
    const backlog = new Backlog();
    backlog.addPair(intent('a'), ending('a'));
    await store.write((tx) => tx.run('UPDATE logs SET format = 99'));
    await expect(backlog.flush(store, ledger)).rejects.toMatchObject({ code: 'STORE_UPGRADED' });
    await store.write((tx) => tx.run('UPDATE logs SET format = 2'));
    await backlog.flush(store, ledger);
    expect((await records()).filter((record) => record.call === 'a')).toHaveLength(2);
  });

  it('what the ledger will never take does not stand in the way of the rest', async () => {
    const { store, ledger, records } = await openLedger();
    const subject = { type: 'task', id: 'T-1', rev: 1, digest: 'ab'.repeat(32) } as const;
    const backlog = new Backlog();
    backlog.addPair(intent('too long'), { ...ending('too long'), subjects: Array(1_000).fill(subject) });
    backlog.addPair(intent('fine'), ending('fine'));
    await backlog.flush(store, ledger);
    expect(backlog.isEmpty).toBe(true);
    const found = await records();
    expect(found.filter((record) => record.call === 'fine')).toHaveLength(2);
    expect(found.filter((record) => record.call === 'too long')).toHaveLength(0);
    expect(found.filter((record) => record.kind === 'gap')).toMatchObject([{ count: 1 }]);
  });

  it('remembers that a lost outcome leaves a call open', async () => {
    const backlog = new Backlog();
    for (let i = 0; i < LEDGER_LIMITS.latePairs + 1; i++) backlog.addPair(intent(`p${i}`), ending(`p${i}`));
    expect(backlog.leavesCalls).toBe(false);
    const pairOf = (call: string) => new Pair(intent(call), { log: 'l', instance: 'i', payloads: 'stored' });
    for (let i = 0; i < LEDGER_LIMITS.lateOutcomes + 1; i++) backlog.addOutcome(pairOf(`o${i}`), ending(`o${i}`));
    expect(backlog.leavesCalls).toBe(true);
  });
});
