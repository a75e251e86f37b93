// Tests when a proof of a thought can be made, and when not yet.
import { expect, test } from 'vitest';
import { rootOf } from '../../../test/support/ledger-check.js';
import { climb, leafOf } from '../../../test/support/naive-proof.js';
import { now, openLedger } from '../../../test/support/stores.js';
import { Evidence } from '../../ledger/evidence.js';
import { insertSession, insertThought } from '../trail/repository.js';
import { sealSession } from '../trail/seal.js';
import { proveThought } from './prove-thought.js';

test('none without a thought, a seal and a signature; then in two steps', async () => {
  const { store, ledger } = await openLedger();
  const { log } = ledger;
  const thoughts = await store.write(async (tx) => {
    const work = { tx, evidence: new Evidence(tx, log) };
    const about = { task_id: null, agent_id: null };
    const start = { ...about, intent: 'i', opened_by: 'agent', started_at: now() };
    const { session_id } = await insertSession(work, start);
    const rows = [];
    for (const content of ['a', 'b', 'c', 'd', 'e']) {
      const thought = { ...about, session_id, type: 'plan', content, attempt: null, timestamp: now() } as const;
      rows.push(await insertThought(work, thought));
    }
    return rows;
  });
  const third = thoughts[2];
  if (third === undefined) throw new Error('no thought');
  const prove = (id: string) => store.read((tx) => proveThought(tx, id));
  expect(await prove('nobody')).toBeUndefined();
  expect(await prove(third.thought_id)).toBeUndefined();

  const sealed = await store.write((tx) => sealSession(tx, { log, at: now() }, third.session_id));
  expect(sealed.root).toBe(rootOf(thoughts.map(({ hash }) => hash)));
  expect(await prove(third.thought_id)).toBeUndefined();

  // What is in the note is the signer's business.
  await store.write((tx) =>
    tx.run('INSERT INTO checkpoints (log_id, no, size, note) VALUES (?, 1, ?, ?)', log.id, sealed.seq + 1, 'signed'),
  );
  const proof = await prove(third.thought_id);
  expect(proof).toMatchObject({
    index: sealed.seq,
    checkpoint: 'signed',
    extra: { thought: { content: 'c', index: 2 } },
  });
  const { thought, record = '' } = proof?.extra ?? {};
  expect(climb(leafOf(thought?.record ?? ''), 2, 5, thought?.path ?? [])).toBe(sealed.root);
  const leaves = await store.read((tx) => tx.all<{ leaf: string }>('SELECT leaf FROM actions ORDER BY id'));
  const root = rootOf(leaves.map(({ leaf }) => leaf));
  expect(climb(leafOf(record), sealed.seq, sealed.seq + 1, proof?.path ?? [])).toBe(root);
});
