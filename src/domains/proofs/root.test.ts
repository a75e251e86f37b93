// Tests that merkle_root returns only proofs that verify, or none.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { now, openLedger, temporaryFolder } from '../../../test/support/stores.js';
import type { ColibriServerContext, HandlerExtra } from '../../call/context.js';
import { Evidence } from '../../ledger/evidence.js';
import { headsIn } from '../../ledger/heads.js';
import { keyRing } from '../../ledger/keys.js';
import { createSigner } from '../../ledger/signer.js';
import { insertSession, insertThought } from '../trail/repository.js';
import { sealSession } from '../trail/seal.js';
import { merkleRoot } from './root.js';

/** A sealed session of three thoughts, not signed yet. */
const sealed = async () => {
  const dir = temporaryFolder();
  const { store, ledger } = await openLedger(dir);
  const { log } = ledger;
  const about = { task_id: null, agent_id: null };
  const ids = await store.write(async (tx) => {
    const work = { tx, evidence: new Evidence(tx, log) };
    const start = { ...about, intent: 'i', opened_by: 'agent', started_at: now() };
    const { session_id } = await insertSession(work, start);
    const thoughts: string[] = [];
    for (const content of ['a', 'b', 'c']) {
      const row = { ...about, session_id, type: 'plan', content, attempt: null, timestamp: now() } as const;
      thoughts.push((await insertThought(work, row)).thought_id);
    }
    await sealSession(tx, { log, at: now() }, session_id);
    return { session_id, thought_id: thoughts[1] ?? '' };
  });
  const fail = (why: unknown): never => {
    throw new Error(String(why));
  };
  const [keys, heads] = [keyRing({ dir: join(dir, 'keys') }), headsIn(join(dir, 'heads'))];
  const signer = createSigner({ store, log: log.id, keys, heads, warn: fail, onBroken: fail });
  const written: [string, string][] = [];
  const writeProofFile = async (id: string, text: string) => {
    written.push([id, text]);
    return { path: `/proofs/${id}` };
  };
  const { handler } = merkleRoot({} as ColibriServerContext, { mode: 'FULL', writeProofFile });
  const ask = (more = {}) =>
    store.read(async (tx) => handler({ ...ids, ...more }, { tx, now } as unknown as HandlerExtra));
  return { store, signer, ask, written, ids };
};

test('with a signature and without', async () => {
  const { ask, signer, written, ids } = await sealed();
  for (const more of [{}, { file: true }])
    expect(await ask(more)).toMatchObject({ proof: { thought: { index: 1 }, seal: { path: null } }, proof_file: null });
  await signer.sign();
  const proved = (await ask()) as { proof_file: string };
  expect(proved).toMatchObject({ proof_file: expect.stringMatching(/^c2sp\.org\/tlog-proof@v1\n/) });
  for (const absent of ['proof', 'checkpoint', 'checkpoint_size']) expect(proved).not.toHaveProperty(absent);
  expect(written).toEqual([]);
  const { proof_file, ...seal } = proved;
  expect(await ask({ file: true })).toEqual({ ...seal, proof_path: `/proofs/${ids.thought_id}` });
  expect(written).toEqual([[ids.thought_id, proof_file]]);
});

const CORRUPT = { code: 'STORE_CORRUPT', remedy: 'colibri verify says where.' };

test.each([
  [`UPDATE thoughts SET content = 'never said'`, /the content does not match the digest in the thought/],
  [`UPDATE thoughts SET type = 'decision'`, /the thought is not in the sealed session/],
  ["UPDATE checkpoints SET note = 'x' || note", /wrong origin/],
  ["UPDATE logs SET public_key = 'x'", /the key of its log is not valid|not signed by this key/],
])('%s: no proof', async (sql, told) => {
  const { ask, signer, store } = await sealed();
  await signer.sign();
  await store.write((tx) => tx.run(sql));
  await expect(ask()).rejects.toMatchObject({ ...CORRUPT, message: expect.stringMatching(told) });
});

test('nor one that only a signature is missing to', async () => {
  const { ask, store } = await sealed();
  await store.write((tx) => tx.run(`UPDATE thoughts SET type = 'decision'`));
  await expect(ask()).rejects.toMatchObject(CORRUPT);
});
