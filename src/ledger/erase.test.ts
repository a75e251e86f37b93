import { expect, it } from 'vitest';
import { now, openLedger, recordsOf } from '../../test/support/stores.js';
import { insertSession, insertThought } from '../domains/trail/repository.js';
import type { Store, Tx } from '../store/store.js';
import { type EraseTarget, eraseContents, eraseState, traceOf } from './erase.js';
import { Evidence } from './evidence.js';
import type { OwnLog } from './own-log.js';

const THOUGHT = { type: 'plan', task_id: null, agent_id: null, attempt: null } as const;

const setUp = async () => {
  const { store, ledger } = await openLedger();
  const { log } = ledger;
  const thought = await store.write(async (tx) => {
    const work = { tx, evidence: new Evidence(tx, log) };
    const about = { intent: 'x', task_id: null, agent_id: null, opened_by: 'agent', started_at: now() };
    const { session_id } = await insertSession(work, about);
    return insertThought(work, { ...THOUGHT, session_id, content: 'a secret ☂', timestamp: now() });
  });
  await store.write((tx) =>
    tx.run('INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, 5, ?, ?)', log.id, 'ab', '{}'),
  );
  return { store, log, thought };
};

const erase = (store: Store, log: OwnLog, targets: readonly EraseTarget[]) =>
  store.write((tx: Tx) => eraseContents(tx, { log, at: now(), reason: 'why', by: 'me' }, targets));

it('empties a thought and says so; its hash stays', async () => {
  const { store, log, thought } = await setUp();
  const target = { type: 'thought', id: thought.thought_id } as const;
  const state = () => store.read((tx) => eraseState(tx, target));
  expect(await state()).toBe('there');
  expect(await store.read((tx) => traceOf(tx, target))).toBe(`${thought.hash}a secret ☂`);
  const seq = await erase(store, log, [target]);
  expect(await state()).toBe('erased');
  const row = await store.read((tx) => tx.get('SELECT * FROM thoughts WHERE thought_id = ?', thought.thought_id));
  expect(row).toEqual({ ...thought, content: null, content_salt: null });
  expect((await recordsOf(store)).at(seq)).toMatchObject({
    kind: 'erase',
    seq,
    targets: [target],
    reason: 'why',
    by: 'me',
  });
});

it('removes a payload', async () => {
  const { store, log } = await setUp();
  await erase(store, log, [{ type: 'payload', id: `${log.id}/5` }]);
  expect(await store.read((tx) => tx.all('SELECT * FROM payloads'))).toEqual([]);
});

it('knows what there is nothing of', async () => {
  const { store, log } = await setUp();
  const states = await store.read(async (tx) => [
    await eraseState(tx, { type: 'thought', id: 'no such' }),
    await eraseState(tx, { type: 'payload', id: `${log.id}/0` }), // a migrate record
    await eraseState(tx, { type: 'payload', id: `${log.id}/999` }),
  ]);
  expect(states).toEqual(['none', 'none', 'none']);
});
