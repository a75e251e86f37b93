// Every way of cheating with a quorum that docs/approvals.md names, over real processes: the tool is not called, and says why.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { colibri } from '../support/command-line.js';
import { freshPlace, type Message, type Place } from '../support/serve.js';
import { onOwnTerminal } from './answering.js';
import { errorOf, recordsOf, type TrustClient } from './places.js';
import {
  enrol,
  keyFile,
  outcomeOf,
  quorumOf,
  quorumWorld,
  requesterIn,
  roundFor,
  told,
  untilHard,
  VOTERS,
  verdictOf,
  vote,
  voter,
  WIPE,
} from './quorum.shared.js';

vi.setConfig({ testTimeout: 180_000 });

const refused = (reason: string) => ({ code: 'VOTE_REFUSED', details: { reason } });

/** A place with the requester and the enrolled voters. */
const begun = async (more: Message = quorumOf(), choice = {}) => {
  const world = quorumWorld(more);
  const first = await requesterIn(world.place);
  await enrol(world.place);
  await first.close();
  return { ...world, requester: await requesterIn(world.place, 'v2 modern', choice) };
};

const close = async (...clients: TrustClient[]): Promise<void> => {
  for (const client of clients) await client.close();
};

const edit = (place: Place, sql: string, ...values: unknown[]): void => {
  const db = new Database(place.db);
  expect(db.prepare(sql).run(...values).changes, sql).toBeGreaterThan(0);
  db.close();
};

const rowOf = (place: Place, sql: string, ...values: unknown[]): Message => {
  const db = new Database(place.db, { readonly: true });
  const row = db.prepare(sql).get(...values) as Message;
  db.close();
  return row;
};

test('who asks has no vote: not the process with a voter’s key, not another process of the same client', async () => {
  const world = quorumWorld();
  const { place } = world;
  // The test's own process is the client: of the requester, and later of a voter's process.
  const setUp = await requesterIn(place, 'v1');
  await enrol(place);
  await close(setUp);
  const requester = await requesterIn(place, 'v1', {
    isAsker: true,
    env: { COLIBRI_VOTER_KEY: keyFile(place, 'ada') },
  });
  const { round_id } = await roundFor(requester, { path: 'x' });
  expect((await vote(requester, round_id)).code).toBe('VOTE_REFUSED');
  const below = await voter(place, 'bob', 'v2 modern', { isAsker: true });
  expect(await vote(below, round_id)).toMatchObject(refused('asker'));
  // Not through a process in between either.
  const cyd = await voter(place, 'cyd');
  expect(await vote(cyd, round_id)).toMatchObject(refused('asker'));
  expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
  expect(world.calls()).toEqual([]);
  await close(requester, below, cyd);
  expect(await verdictOf(place)).toMatchObject({ exit: 0 });
});

test.runIf(spawnSync('unshare', ['-Urpfu', '--mount-proc', 'true']).status === 0)(
  'who asks has no vote from a namespace in which it is not seen, nor below a hundred shells',
  async () => {
    const world = quorumWorld();
    const { place } = world;
    const setUp = await requesterIn(place, 'v1');
    await enrol(place);
    await close(setUp);
    const requester = await requesterIn(place, 'v1', { isAsker: true });
    const { round_id } = await roundFor(requester, { path: 'x' });
    const ways: readonly (readonly [readonly string[], string])[] = [
      [['unshare', '-Urpf', '--mount-proc'], 'unseen'],
      [['sh', fileURLToPath(new URL('../children/nested.sh', import.meta.url)), '100'], 'asker'],
    ];
    for (const [below, reason] of ways) {
      const ada = await voter(place, 'ada', 'v1', { isAsker: true, below });
      expect([below, await vote(ada, round_id)]).toMatchObject([below, refused(reason)]);
      await ada.close();
    }
    expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
    expect(world.calls()).toEqual([]);
    await close(requester);
  },
);

test('a client with the name of a voter does not vote on its own call', async () => {
  const { place, requester, calls } = await begun(quorumOf(VOTERS, 1), { name: 'ada' });
  const { round_id } = await roundFor(requester, { path: 'x' });
  const ada = await voter(place, 'ada');
  expect(await vote(ada, round_id)).toMatchObject(refused('requester'));
  expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
  expect(calls()).toEqual([]);
  await close(requester, ada);
});

test('strangers, the revoked, the unenrolled, wrong keys, keys that others can read: no vote', async () => {
  const { place, requester, calls } = await begun();
  await enrol(place, ['dan']);
  const { round_id } = await roundFor(requester, { path: 'x' });
  const dan = await voter(place, 'dan');
  expect(await vote(dan, round_id)).toMatchObject(refused('stranger'));
  expect((await vote(dan, round_id, { voter: 'ada' })).code).toBe('INVALID_KEY');
  expect((await vote(dan, round_id, { voter: 'eve' })).code).toMatch(/VOTE_REFUSED|INVALID_KEY/);
  const keyless = await voter(place, 'x', 'v2 legacy', { env: { COLIBRI_VOTER_KEY: '' } });
  expect((await vote(keyless, round_id, { voter: 'ada' })).code).toBe('INVALID_KEY');
  expect((await vote(keyless, round_id)).code).toBe('VOTE_REFUSED');
  const missing = await voter(place, 'nobody');
  expect(await vote(missing, round_id, { voter: 'ada' })).toMatchObject({
    code: 'INVALID_KEY',
    details: { reason: expect.stringContaining('cannot be read') },
  });
  const copy = join(place.dir, 'copy.key');
  fs.copyFileSync(keyFile(place, 'ada'), copy);
  fs.chmodSync(copy, 0o644);
  const open = await voter(place, 'ada', 'v1', { env: { COLIBRI_VOTER_KEY: copy } });
  expect(await vote(open, round_id, { voter: 'ada' })).toMatchObject({
    code: 'INVALID_KEY',
    details: { reason: expect.stringContaining('by others') },
  });
  fs.chmodSync(copy, 0o600);
  fs.writeFileSync(copy, 'no key');
  expect((await vote(open, round_id, { voter: 'ada' })).code).toBe('INVALID_KEY');
  // bob is revoked while his process runs and holds a copy of his key.
  fs.copyFileSync(keyFile(place, 'bob'), copy);
  fs.chmodSync(copy, 0o600);
  expect((await onOwnTerminal(place, ['voters', 'rm', 'bob'])).code).toBe(0);
  expect((await vote(open, round_id, { voter: 'bob' })).code).toMatch(/VOTE_REFUSED|INVALID_KEY/);
  expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
  // The quorum names somebody who is not enrolled any more: the next question is an error of the configuration.
  expect(errorOf(await requester.call('far__wipe', { path: 'other' }))).toMatchObject({
    code: 'CONFIG_INVALID',
    details: { missing: ['bob'] },
  });
  expect(calls()).toEqual([]);
  await close(requester, dan, keyless, missing, open);
  expect(await verdictOf(place)).toMatchObject({ exit: 0 });
});

test('one process counts once, one voter once: not with two keys, not from two processes, not by voting both ways', async () => {
  const { place, requester, calls } = await begun();
  const { round_id } = await roundFor(requester, { path: 'x' });
  const key = join(place.dir, 'now.key');
  const swap = (name: string): void => {
    fs.copyFileSync(keyFile(place, name), key);
    fs.chmodSync(key, 0o600);
  };
  swap('ada');
  const one = await voter(place, 'ada', 'v2 modern', { env: { COLIBRI_VOTER_KEY: key } });
  expect(await vote(one, round_id)).toMatchObject({ vote_signed: true });
  swap('bob');
  expect(await vote(one, round_id)).toMatchObject(refused('instance'));
  const second = await voter(place, 'ada');
  expect((await vote(second, round_id)).code).toBe('ALREADY_VOTED');
  // The statement of another round, under this number: both votes of that name are void.
  const other = await roundFor(requester, { path: 'y' });
  const { root } = await told(second, 'consensus_finality', { round_id: other.round_id });
  expect(await vote(second, round_id, { root })).toMatchObject({ vote_signed: false, equivocation: true });
  const bob = await voter(place, 'bob');
  expect(await vote(bob, round_id)).toMatchObject({ vote_signed: true, result: null });
  expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
  expect(calls()).toEqual([]);
  const cyd = await voter(place, 'cyd');
  expect(await vote(cyd, round_id)).toMatchObject({ vote_signed: true, result: 'approve' });
  await untilHard(bob, round_id);
  // Whoever votes otherwise afterwards makes the round contested; the decision stays.
  expect(await vote(bob, round_id, { vote: 'reject' })).toMatchObject({ equivocation: true, contested: true });
  expect(await outcomeOf(requester, { path: 'x' })).toBe('called');
  expect(calls()).toHaveLength(1);
  await close(requester, one, second, bob, cyd);
  const [used] = recordsOf(place, 'approval').filter(({ state }) => state === 'used');
  expect(used?.by).toBe('bob, cyd');
  expect(await verdictOf(place)).toMatchObject({ exit: 0 });
});

test('a no is a no until it runs out; a yes is for these arguments, this definition, these voters and this project', async () => {
  const world = await begun();
  const { place, requester, calls } = world;
  const [ada, bob, cyd] = [await voter(place, 'ada'), await voter(place, 'bob'), await voter(place, 'cyd')];
  const no = await roundFor(requester, { path: 'no' });
  await vote(ada, no.round_id, { vote: 'reject' });
  await vote(bob, no.round_id, { vote: 'abstain' });
  expect(await vote(cyd, no.round_id, { vote: 'reject', reason: 'never' })).toMatchObject({ result: 'reject' });
  expect(errorOf(await requester.call('far__wipe', { path: 'no' }))).toMatchObject({
    code: 'APPROVAL_DENIED',
    details: { reason: 'the voters said no' },
  });

  const yes = await roundFor(requester, { path: 'yes' });
  for (const one of [ada, bob]) await vote(one, yes.round_id);
  await untilHard(ada, yes.round_id);
  expect(await vote(cyd, yes.round_id)).toMatchObject(refused('decided'));
  expect(await outcomeOf(requester, { path: 'yes', ms: 1 })).toBe('APPROVAL_REQUIRED');
  world.list([{ ...WIPE, description: 'Wipes more.' }]);
  await vi.waitFor(
    async () => {
      const listed = (await requester.list()).find(({ name }) => name === 'far__wipe');
      expect(listed?.description).toBe('Wipes more.');
    },
    { timeout: 20_000 },
  );
  expect(await outcomeOf(requester, { path: 'yes' })).toBe('APPROVAL_REQUIRED');
  world.list([WIPE]);
  await vi.waitFor(
    async () => {
      const listed = (await requester.list()).find(({ name }) => name === 'far__wipe');
      expect(listed?.description).toBe(WIPE.description);
    },
    { timeout: 20_000 },
  );
  // Another project has another yes, and so has another quorum of the same server.
  const elsewhere = join(place.dir, 'elsewhere');
  fs.mkdirSync(join(elsewhere, '.git'), { recursive: true });
  const other = await requesterIn(place, 'v2 modern', { cwd: elsewhere });
  expect(await outcomeOf(other, { path: 'yes' })).toBe('APPROVAL_REQUIRED');
  await close(other);
  world.board({ far: world.entry(quorumOf(VOTERS, 3)) });
  await vi.waitFor(async () => expect((await roundFor(requester, { path: `probe ${Date.now()}` })).need).toBe(3), {
    timeout: 20_000,
  });
  expect((await roundFor(requester, { path: 'yes' })).need).toBe(3);
  world.board({ far: world.entry(quorumOf()) });
  await vi.waitFor(async () => expect((await roundFor(requester, { path: `probe ${Date.now()}` })).need).toBe(2), {
    timeout: 20_000,
  });
  expect(calls()).toEqual([]);
  // Two processes want to use the one yes: one call is made.
  const twin = await requesterIn(place);
  const ends = await Promise.all([outcomeOf(requester, { path: 'yes' }), outcomeOf(twin, { path: 'yes' })]);
  expect(ends.toSorted()).toEqual(['APPROVAL_REQUIRED', 'called']);
  expect(calls()).toHaveLength(1);
  await close(requester, twin, ada, bob, cyd);
  expect(await verdictOf(place)).toMatchObject({ exit: 0 });
});

const OTHER_CLOCK = fileURLToPath(new URL('../children/other-clock.mjs', import.meta.url));

test('late: no vote counts after the round ran out, and no yes', async () => {
  const clock = join(freshPlace().dir, 'clock.json');
  const set = (wallMs: number): void => fs.writeFileSync(clock, JSON.stringify({ wallMs, monotonicMs: 0 }));
  set(0);
  const env = { NODE_OPTIONS: `--import ${OTHER_CLOCK}`, TEST_CLOCK: clock };
  const { place, requester, calls } = await begun(quorumOf(VOTERS, 2, { minutes: 2 }), { env });
  const [ada, bob] = [await voter(place, 'ada', 'v2 modern', { env }), await voter(place, 'bob', 'v2 modern', { env })];
  const late = await roundFor(requester, { path: 'late' });
  await vote(ada, late.round_id);
  set(121_000);
  expect(await vote(bob, late.round_id)).toMatchObject(refused('expired'));
  expect((await roundFor(requester, { path: 'late' })).round_id).not.toBe(late.round_id);
  const yes = await roundFor(requester, { path: 'yes' });
  for (const one of [ada, bob]) await vote(one, yes.round_id);
  await untilHard(ada, yes.round_id);
  set(300_000);
  expect((await roundFor(requester, { path: 'yes' })).round_id).not.toBe(yes.round_id);
  expect(calls()).toEqual([]);
  await close(requester, ada, bob);
  expect(recordsOf(place, 'approval').map(({ state }) => state)).not.toContain('granted');
});

/** What somebody does to the store after a question was asked; `use` votes with what was edited. */
interface Forgery {
  readonly name: string;
  readonly forge: (place: Place, asked: Message, voters: Readonly<Record<string, TrustClient>>) => Promise<void>;
}

const FORGERIES: readonly Forgery[] = [
  {
    name: 'the approval is granted',
    forge: async (place, { approval_id }) =>
      edit(
        place,
        "UPDATE approvals SET state = 'granted', via = 'quorum', answered_by = 'ada, bob' WHERE approval_id = ?",
        approval_id,
      ),
  },
  {
    name: 'the approval is granted by a person',
    forge: async (place, { approval_id }) =>
      edit(
        place,
        "UPDATE approvals SET state = 'granted', via = 'command', answered_by = 'root', round = NULL WHERE approval_id = ?",
        approval_id,
      ),
  },
  {
    name: 'the round is decided',
    forge: async (place, { round_id }) =>
      edit(
        place,
        "UPDATE rounds SET state = 'decided', result = 'approve', decided_seq = 1, decision = proposal WHERE round_id = ?",
        round_id,
      ),
  },
  {
    name: 'the round needs one vote',
    forge: async (place, { round_id }, { ada }) => {
      edit(place, 'UPDATE rounds SET need = 1 WHERE round_id = ?', round_id);
      await vote(ada as TrustClient, round_id);
    },
  },
  {
    name: 'the round has another voter',
    forge: async (place, { round_id }, { ada, dan }) => {
      edit(place, `UPDATE rounds SET voters = '["ada","dan"]' WHERE round_id = ?`, round_id);
      for (const one of [ada, dan]) await vote(one as TrustClient, round_id);
    },
  },
  {
    name: 'the round is that of another call',
    forge: async (place, asked, { ada, bob }) => {
      const { root, proposal } = rowOf(
        place,
        'SELECT root, proposal FROM rounds WHERE round_id <> ? LIMIT 1',
        asked.round_id,
      );
      edit(place, 'UPDATE rounds SET root = ?, proposal = ? WHERE round_id = ?', root, proposal, asked.round_id);
      for (const one of [ada, bob]) await vote(one as TrustClient, asked.round_id);
    },
  },
  {
    name: 'the key of a voter is that of a stranger',
    forge: async (place, { round_id }, { bob, dan }) => {
      const { public_key } = rowOf(place, "SELECT public_key FROM voters WHERE name = 'dan'");
      edit(place, "UPDATE voters SET public_key = 'x' WHERE name = 'dan'");
      edit(place, "UPDATE voters SET public_key = ? WHERE name = 'ada'", public_key);
      await vote(bob as TrustClient, round_id);
      await vote(dan as TrustClient, round_id, { voter: 'ada' });
    },
  },
  {
    name: 'votes of another round are put under this one',
    forge: async (place, { round_id }, { ada, cyd }) => {
      const { round_id: other } = rowOf(place, 'SELECT round_id FROM rounds WHERE round_id <> ? LIMIT 1', round_id);
      const { root } = rowOf(place, 'SELECT root FROM rounds WHERE round_id = ?', round_id);
      await vote(ada as TrustClient, other);
      edit(place, 'UPDATE votes SET round_id = ?, root = ?', round_id, root);
      await vote(cyd as TrustClient, round_id);
    },
  },
];

test.each(FORGERIES)('edited by hand: $name. Nothing opens, and verify says 20', async ({ forge }) => {
  const { place, requester, calls } = await begun();
  await enrol(place, ['dan']);
  const voters: Record<string, TrustClient> = {};
  for (const name of ['ada', 'bob', 'cyd', 'dan']) voters[name] = await voter(place, name);
  await roundFor(requester, { path: 'other' });
  const asked = await roundFor(requester, { path: 'x' });
  await forge(place, asked, voters);
  for (let look = 0; look < 3; look += 1) {
    expect(await outcomeOf(requester, { path: 'x' })).toBe('APPROVAL_REQUIRED');
    await new Promise((resolve) => setTimeout(resolve, 1_200)); // the log is signed meanwhile
  }
  expect(calls()).toEqual([]);
  await close(requester, ...Object.values(voters));
  expect((await colibri(place, ['verify'])).code).toBe(20);
});

test('used once, and put back as it was before: it opens nothing', async () => {
  const { place, requester, calls } = await begun();
  const [ada, bob] = [await voter(place, 'ada'), await voter(place, 'bob')];
  const asked = await roundFor(requester, { path: 'x' });
  for (const one of [ada, bob]) await vote(one, asked.round_id);
  await untilHard(ada, asked.round_id);
  const all = 'SELECT * FROM approvals WHERE approval_id = ?';
  const before = rowOf(place, all, asked.approval_id);
  expect(await outcomeOf(requester, { path: 'x' })).toBe('called');
  const columns = Object.keys(before).filter((name) => name !== 'approval_id');
  const set = columns.map((name) => `${name} = ?`).join(', ');
  edit(
    place,
    `UPDATE approvals SET ${set} WHERE approval_id = ?`,
    ...columns.map((name) => before[name]),
    asked.approval_id,
  );
  expect((await roundFor(requester, { path: 'x' })).round_id).not.toBe(asked.round_id);
  expect(calls()).toHaveLength(1);
  await close(requester, ada, bob);
  expect((await colibri(place, ['verify'])).code).toBe(20);
});
