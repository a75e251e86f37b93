// Random histories of asks, answers, times and definitions against a model that shares no code with what it checks: no call without its
// approval, no approval used twice.
import { expect, test } from 'vitest';
import type { Peer } from '../../src/call/peer.js';
import { Pair } from '../../src/ledger/calls/pair.js';
import { type ApprovalCase, Approver } from '../../src/switchboard/approval/approver.js';
import { verifyStore } from '../../src/verify/verify.js';
import { counted } from '../support/counted.js';
import { endingOf, intentOf, openJournaled } from '../support/journals.js';
import { randomFrom } from '../support/random.js';

const RUN = counted('histories of approvals', 2_000);
const MINUTE = 60_000;

/** What the model knows of one exact call: the state of its newest approval, and until when it counts. */
interface Known {
  state: 'asked' | 'granted' | 'denied' | 'used';
  until: number;
  id: string;
}

const peer = { era: 'modern', capabilities: { elicitation: {} } } as unknown as Peer;

test(`${RUN.count} histories`, { timeout: 60_000 + RUN.count * 2_000 }, async () => {
  for (let i = 0; i < RUN.count; i++) {
    const random = randomFrom(RUN.seed + i);
    const process = await openJournaled();
    const { ledger, store } = process;
    let nowMs = Date.parse('2026-11-18T10:00:00.000Z');
    const definitions = ['a'.repeat(64), 'b'.repeat(64)];
    const make = (project: string) =>
      new Approver({
        books: () => ({ store, ledger }),
        now: () => new Date(nowMs).toISOString(),
        wallMs: () => nowMs,
        asker: async () => ['1/1'],
        client: () => undefined,
        warn: (text) => {
          throw new Error(text);
        },
        project,
      });
    const approvers = [make('one'), make('two')];
    const model = new Map<string, Known>();
    const usedIds = new Set<string>();
    let waiting: { key: string; id: string } | undefined;
    for (let step = 0; step < 25; step++) {
      nowMs += random.int(3) === 0 ? random.int(6) * MINUTE : random.int(1_000);
      const [at, arg, def] = [random.int(2), random.int(3), random.int(2)];
      const key = `${at} ${arg} ${def}`;
      const live = model.get(key);
      const known = live !== undefined && live.until > nowMs && live.state !== 'used' ? live : undefined;
      const call = crypto.randomUUID();
      const intent = intentOf(call, { secret: `sk-live-${arg}` });
      const pair = await ledger.enter(intent);
      expect(pair).toBeInstanceOf(Pair);
      // Sometimes the answer to the last question comes with the call, whatever it is a call of.
      const isAnswer = waiting !== undefined && waiting.key === key && random.int(2) === 0;
      const word = ['yes', 'no', 'cancel'][random.int(3)] ?? 'cancel';
      const response =
        word === 'cancel' ? { action: 'cancel' } : { action: 'accept', content: { answer: word, why: 'because' } };
      const asked: ApprovalCase = {
        place: { server: 's', tool: 't' },
        args: { secret: `sk-live-${arg}`, n: arg },
        request: { id: call, pair: pair as Pair, peer, client: { name: 'c', version: '1', protocol: 'p' } },
        ask: { via: ['elicitation', 'command'], minutes: 10, clients: [] },
        definition: () => definitions[def] ?? '',
        isFlagged: false,
        answered: isAnswer && waiting !== undefined ? { approvalId: waiting.id, response } : undefined,
      };
      if (isAnswer && known?.state === 'asked' && word !== 'cancel')
        known.state = word === 'yes' ? 'granted' : 'denied';
      const judged = await (approvers[at] as Approver).judge(asked);
      if ('permit' in judged) {
        expect(known?.state, key).toBe('granted');
        expect(judged.permit.approvalId).toBe(known?.id);
        if (random.int(4) === 0) nowMs += 11 * MINUTE; // it waits for its turn too long
        const isStill = (known?.until ?? 0) > nowMs;
        // Two processes, or two calls of one, with the same permit.
        const second = await ledger.enter(intentOf(crypto.randomUUID()));
        const other = await (approvers[at] as Approver).judge({
          ...asked,
          answered: undefined,
          request: { ...asked.request, id: second.intent.call, pair: second },
        });
        const uses = [judged.permit.use(), ...('permit' in other ? [other.permit.use()] : [])];
        const refused = await Promise.all(uses);
        expect(refused.filter((one) => one === undefined).length).toBe(isStill ? 1 : 0);
        await ledger.exit(second, endingOf(second.intent.call));
        if (isStill && known !== undefined) {
          expect(usedIds.has(known.id)).toBe(false);
          usedIds.add(known.id);
          known.state = 'used';
        } else if (!('permit' in other) && 'question' in other)
          model.set(key, { state: 'asked', until: nowMs + 10 * MINUTE, id: other.approvalId });
      } else if ('question' in judged) {
        expect(known === undefined || known.state === 'asked', `${key} ${known?.state}`).toBe(true);
        if (known !== undefined) expect(judged.approvalId).toBe(known.id);
        else model.set(key, { state: 'asked', until: nowMs + 10 * MINUTE, id: judged.approvalId });
        waiting = { key, id: judged.approvalId };
      } else {
        const code = judged.refused.code;
        expect(code, key).toBe(known?.state === 'denied' ? 'APPROVAL_DENIED' : 'APPROVAL_REQUIRED');
        if (code === 'APPROVAL_REQUIRED') {
          const id = String(judged.refused.refusal._meta['dev.colibri/refusal'].error.details.approval_id);
          if (known === undefined) model.set(key, { state: 'asked', until: nowMs + 10 * MINUTE, id });
          else expect(id).toBe(known.id);
        }
      }
      await ledger.exit(pair as Pair, endingOf(call));
    }
    const rows = await store.read((tx) => tx.all<{ state: string }>('SELECT state FROM approvals'));
    expect(rows.filter(({ state }) => state === 'used').length).toBe(usedIds.size);
    const { exit, findings } = await verifyStore({
      path: `${process.dir}/colibri.db`,
      scope: { kind: 'store' },
      workers: 0,
    });
    expect([exit === 20, findings], `seed ${RUN.seed + i}`).toEqual([false, []]);
    await process.die();
    RUN.progress(i + 1);
  }
});
