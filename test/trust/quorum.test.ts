// A call that several voters must allow: one pass with real processes; the ways of cheating are in quorum.deep.test.ts.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import type { Message } from '../support/serve.js';
import { approvalsOf, approve } from './answering.js';
import { errorOf, recordsOf } from './places.js';
import {
  enrol,
  outcomeOf,
  quorumWorld,
  requesterIn,
  roundFor,
  told,
  untilHard,
  verdictOf,
  vote,
  voter,
} from './quorum.shared.js';

test('enrolled voters of two processes open the tool once; it is recorded, proved and counted', async () => {
  const world = quorumWorld();
  const { place } = world;
  const requester = await requesterIn(place, 'v1', { env: { COLIBRI_TOOLSETS: 'reputation' } });
  const names = (await requester.list()).map(({ name }) => name);
  expect(names.filter((name) => /^(consensus_|vrf_)/.test(name))).toHaveLength(5);
  const unenrolled = errorOf(await requester.call('far__wipe', { path: 'x' }));
  expect(unenrolled).toMatchObject({ code: 'CONFIG_INVALID', details: { missing: ['ada', 'bob', 'cyd'] } });
  await enrol(place);

  const asked = await roundFor(requester, { path: 'x' });
  expect(asked).toMatchObject({
    need: 2,
    voters: ['ada', 'bob', 'cyd'],
    how: expect.stringContaining('consensus_vote'),
  });
  expect(await roundFor(requester, { path: 'x' })).toEqual(asked);
  const [ada, bob] = [await voter(place, 'ada'), await voter(place, 'bob', 'v2 legacy')];
  const shown = await told(ada, 'consensus_finality', { round_id: asked.round_id });
  expect(shown.statement).toContain('path: "x"');
  expect(await vote(ada, asked.round_id)).toMatchObject({ vote_signed: true, identity: 'enrolled', level: 'SOFT' });
  expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
  expect(await vote(bob, asked.round_id)).toMatchObject({ vote_signed: true, result: 'approve' });
  await untilHard(bob, asked.round_id);
  expect(await approve(place, asked.approval_id)).toMatchObject({
    code: 1,
    text: expect.stringContaining('by the votes of round'),
  });
  expect(await outcomeOf(requester, { path: 'y' })).toBe('APPROVAL_REQUIRED');
  expect(await outcomeOf(requester, { path: 'x' })).toBe('called');
  const again = await roundFor(requester, { path: 'x' });
  expect(again.round_id).not.toBe(asked.round_id);
  expect(world.calls()).toHaveLength(1);

  const own = (await approvalsOf(place)).find(({ approval_id }) => approval_id === asked.approval_id);
  expect(own).toMatchObject({ state: 'used', via: 'quorum', by: 'ada, bob', claimed: false, round: asked.round_id });
  const states = recordsOf(place, 'approval').filter(({ approval_id }) => approval_id === asked.approval_id);
  expect(states.map(({ state, round }) => [state, round])).toEqual(
    ['asked', 'granted', 'used'].map((state) => [state, asked.round_id]),
  );
  const [call] = recordsOf(place, 'call.exit').filter(({ route }) =>
    route?.attempts.some(({ approval }: { approval?: string }) => approval === asked.approval_id),
  );
  expect(call?.route.attempts[0]).toMatchObject({ allowed_by: ['ada', 'bob'] });
  const counted = await told(requester, 'reputation_get', { node_id: 'ada' });
  expect(
    counted.rows.map(({ domain, successes }: { domain: string; successes: number }) => [domain, successes]),
  ).toEqual([
    ['arbitration', 1],
    ['governance', 1],
  ]);
  for (const client of [ada, bob, requester]) await client.close();
  const proof = await colibri(place, ['prove', call?.call, '--out', 'call.proof']);
  expect(proof.code, proof.stderr).toBe(0);
  expect((await colibri(place, ['verify', 'call.proof'])).code).toBe(0);
  const [, extra = ''] = /^extra (.*)$/m.exec(fs.readFileSync(join(place.dir, 'call.proof'), 'utf8')) ?? [];
  const { records } = JSON.parse(Buffer.from(extra, 'base64').toString()).call;
  expect(
    records
      .map(({ record }: { record: string }) => JSON.parse(record))
      .map(({ kind, state, result }: Message) => `${kind} ${state ?? result ?? ''}`),
  ).toEqual([...['call.enter ', 'approval asked', 'decided approve', 'approval granted', 'approval used']]);
  expect(await verdictOf(place)).toMatchObject({ exit: 0, findings: [] });
});
