// Two processes, one session: the chain stays one chain.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { inspectLedger, rootOf } from '../support/ledger-check.js';
import { checkFile, keyOf, logOf } from '../support/naive-proof.js';
import { freshPlace } from '../support/serve.js';
import { allPages, codeOf, errorIn, rowsOf, started } from '../support/trail-tools.js';

const EACH = 80;

test('thoughts of two processes at once: dense, unforked, each answered with its own place', async () => {
  const place = freshPlace();
  const desks = [await started(place, 'one'), await started(place, 'two')];
  const [first] = desks;
  if (first === undefined) throw new Error('nobody started');
  const { session_id, genesis_hash } = await first.ok('audit_session_start', { intent: 'both', session_id: 'shared' });
  const answers = await Promise.all(
    desks.flatMap((tools, d) =>
      Array.from({ length: EACH }, (_, i) =>
        tools.ok('thought_record', { type: 'plan', content: `${d} ${i}`, session_id }),
      ),
    ),
  );
  const chain = answers.toSorted((a, b) => a.seq - b.seq);
  expect(chain.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * EACH }, (_, i) => i));
  expect(chain.map(({ prev_hash }) => prev_hash)).toEqual([
    genesis_hash,
    ...chain.slice(0, -1).map(({ hash }) => hash),
  ]);
  expect((await allPages(first, { session_id })).map(({ hash }) => hash)).toEqual(chain.map(({ hash }) => hash));
  expect(await first.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true, broken_count: 0 });

  // Both want to seal it: one does.
  const seals = await Promise.all(desks.map((tools) => tools.call('merkle_finalize', { session_id })));
  expect(seals.map((answer) => errorIn(answer)?.code).toSorted()).toEqual(['ERR_ALREADY_FINALIZED', undefined]);
  const sealed = seals.find((answer) => errorIn(answer) === undefined)?.data;
  expect(sealed).toMatchObject({ record_count: 2 * EACH, root: rootOf(chain.map(({ hash }) => hash)) });
  const thought_id = chain[100]?.thought_id;
  const proved = await first.ok('merkle_root', { session_id, thought_id });
  expect(checkFile(proved.proof_file, keyOf(place.db, logOf(proved)))).toMatch(/^[01] \d+$/);
  await Promise.all(desks.map(({ peer }) => peer.end()));
  expect(inspectLedger(place.db).problems).toEqual([]);
  expect(checkSubjects(place.db)).toEqual([]);
}, 60_000);

test('a thought and the seal of its session at once: it is in, or it is refused', async () => {
  const place = freshPlace();
  const desks = [await started(place, 'one'), await started(place, 'two')] as const;
  for (let round = 0; round < 5; round++) {
    const session_id = `round ${round}`;
    await desks[0].ok('audit_session_start', { intent: 'i', session_id });
    await desks[0].ok('thought_record', { type: 'plan', content: 'first', session_id });
    const [sealed, ...thoughts] = await Promise.all([
      desks[0].ok('merkle_finalize', { session_id }),
      ...Array.from({ length: 10 }, (_, i) =>
        desks[1].call('thought_record', { type: 'plan', content: `${i}`, session_id }),
      ),
    ]);
    const refused = thoughts.map((answer) => errorIn(answer)).filter((error) => error !== undefined);
    expect(new Set(refused.map(codeOf)).has('SESSION_FINALIZED')).toBe(refused.length > 0);
    const [{ n }] = rowsOf(place.db, 'SELECT COUNT(*) AS n FROM thoughts WHERE session_id = ?', session_id) as [
      { n: number },
    ];
    expect(n).toBe(sealed.record_count);
    expect(n).toBe(11 - refused.length);
  }
  await Promise.all(desks.map(({ peer }) => peer.end()));
  expect(checkSubjects(place.db)).toEqual([]);
}, 60_000);
