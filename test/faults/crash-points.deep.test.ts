// Where a process can die, and what a next process finds: the table is the document and the test. A process of the built product ends itself with
// SIGKILL exactly at the point (test/children/die-at.mjs).
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type Ledger, type Pair, type Receipt, receiptOf } from '../support/ledger-check.js';
import { type Environment, freshPlace, MAIN, type Message, type Peer, type Place, serve } from '../support/serve.js';
import { untilHealthy } from '../support/switchboard-file.js';
import { effectsIn, expectSound, journalsOf, PROXIED, withEffects } from './crash.shared.js';

const DIE_AT = fileURLToPath(new URL('../children/die-at.mjs', import.meta.url));

/** A kind of call: how it is made, and whether it had its effect. */
interface Kind {
  readonly name: string;
  readonly tool: string;
  readonly args: (key: string) => Message;
  readonly hasEffect: (place: Place, key: string) => boolean;
}

const tasksIn = ({ db }: Place): string[] => {
  const store = new Database(db, { readonly: true });
  try {
    return store.prepare<[], string>('SELECT title FROM tasks').pluck().all();
  } finally {
    store.close();
  }
};

const READ: Kind = { name: 'own read', tool: 'server_ping', args: (key) => ({ key }), hasEffect: () => false };
const WRITE: Kind = {
  name: 'own write',
  tool: 'task_create',
  args: (key) => ({ title: key, idempotency_key: key }),
  hasEffect: (place, key) => tasksIn(place).includes(key),
};
const PROXY: Kind = {
  name: 'proxied call',
  tool: PROXIED,
  args: (key) => ({ key }),
  hasEffect: (place, key) => effectsIn(place).includes(key),
};

/** Plays something with each kind of call, side by side, each with a store of its own. */
const eachKind = async (play: (kind: Kind, place: Place) => Promise<void>): Promise<void> => {
  const places = [READ, WRITE, PROXY].map((kind) => ({ kind, place: placeFor() }));
  await Promise.all(places.map(({ kind, place }) => play(kind, place)));
};

const placeFor = (): Place => {
  const place = freshPlace();
  withEffects(place);
  return place;
};

/** What is found of the call after the next start. */
interface Found {
  /**
   * Nothing; its intent from the journal; its intent from the ledger, without an outcome; one of both, as the call had lasted 20 ms or not; both
   * records as they were committed.
   */
  readonly records: 'none' | 'recovered' | 'interrupted' | 'begun' | 'whole';
  /** Whether the effect happened, by kind of call. A read has none. */
  readonly write: boolean;
  readonly proxied: boolean;
  readonly isAnswered: boolean;
  /** How many lock files are left; none if left out. */
  readonly locks?: number;
}

const NOTHING: Found = { records: 'none', write: false, proxied: false, isAnswered: false };
const BEGUN: Found = { ...NOTHING, records: 'recovered' };
const DONE: Found = { records: 'whole', write: true, proxied: true, isAnswered: false };

interface Point {
  readonly point: string;
  readonly at: string;
  readonly means: string;
  readonly found: Found;
  readonly only?: 'full';
}

const POINTS: readonly Point[] = [
  {
    point: 'before the journal write',
    at: 'before the frame',
    means: 'The call has not begun. Nothing of it is on record, and nothing happened.',
    found: NOTHING,
  },
  {
    point: 'in the middle of the journal write, over the remains of older intents',
    at: 'half of the frame',
    means: 'As before: a frame that is not whole is no intent, and older ones are in the ledger already.',
    found: NOTHING,
  },
  {
    point: 'after the journal write',
    at: 'after the frame',
    means: 'The intent is durable and nothing happened. The next process records the call as interrupted.',
    found: BEGUN,
  },
  {
    point: 'before the journal is on disk',
    at: 'before the sync',
    means: 'The process dies and the machine does not: the intent is there. Nothing happened.',
    found: BEGUN,
    only: 'full',
  },
  {
    point: 'after the journal is on disk',
    at: 'after the sync',
    means: 'The intent is there. Nothing happened.',
    found: BEGUN,
    only: 'full',
  },
  {
    point: 'before the commit of both records',
    at: 'before the commit',
    means: 'A write is undone. A server has done its work: `interrupted` of a proxied call means that it is unknown.',
    found: { ...BEGUN, records: 'begun', proxied: true },
  },
  {
    point: 'after the commit and before the reply',
    at: 'after the commit',
    means: 'The call is on record with its outcome; the client does not know it yet.',
    found: DONE,
  },
  {
    point: 'after the reply',
    at: 'after the reply',
    means: 'The client has a receipt, and the ledger has what it names.',
    found: { ...DONE, isAnswered: true },
  },
];

const fatal = (kind: Kind): object => ({
  ...{ jsonrpc: '2.0', id: 'fatal', method: 'tools/call' },
  params: { name: kind.tool, arguments: kind.args('fatal') },
});

/** A process that will die at a point, once `arm` was called. */
const doomed = async (place: Place, at: string, mark: string, env: Environment = {}) => {
  const when = join(place.dir, `armed ${at}`);
  const peer = serve(place, {
    args: ['--import', DIE_AT, MAIN, 'serve'],
    env: { ...env, DIE_AT: at, DIE_WHEN: when, DIE_MARK: mark },
  });
  await peer.initialize();
  await peer.phase2();
  return { peer, arm: () => fs.writeFileSync(when, '') };
};

/** Some calls that end well, then one that is fatal. Returns the receipts that the client got. */
const dieIn = async (place: Place, kind: Kind, at: string, env: Environment): Promise<Receipt[]> => {
  const { peer, arm } = await doomed(place, at, `"kind":"call.exit","log"`, env);
  if (kind.tool === PROXIED) await untilHealthy(peer, 'counts');
  for (const key of ['one', 'two']) await peer.call(kind.tool, kind.args(key));
  arm();
  peer.send(fatal(kind));
  expect((await peer.ended).signal).toBe('SIGKILL');
  return receiptsOf(peer);
};

const receiptsOf = ({ messages }: Peer): Receipt[] =>
  messages.map(receiptOf).filter((receipt) => receipt !== undefined);

const fatalPairOf = (ledger: Ledger, { tool }: Kind): Pair | undefined =>
  ledger.pairs.find(({ enter }) => enter.body.tool === tool && (enter.payload?.json ?? '').includes('fatal'));

const recordsOf = (pair: Pair | undefined): Found['records'] => {
  if (pair === undefined) return 'none';
  const { outcome } = pair.exit?.body ?? {};
  if (outcome !== 'interrupted') return 'whole';
  return pair.enter.body.recovered === true ? 'recovered' : 'interrupted';
};

const effectOf = ({ write, proxied }: Found, { tool }: Kind): boolean =>
  tool === 'task_create' ? write : tool === PROXIED && proxied;

const expectFound = async (place: Place, kind: Kind, receipts: readonly Receipt[], found: Found): Promise<void> => {
  const ledger = await expectSound(place, receipts);
  const pair = fatalPairOf(ledger, kind);
  const wanted = found.records === 'begun' ? ['recovered', 'interrupted'] : [found.records];
  expect(wanted, kind.name).toContain(recordsOf(pair));
  expect(kind.hasEffect(place, 'fatal'), kind.name).toBe(effectOf(found, kind));
  expect(receipts.some(({ call }) => call === pair?.enter.body.call)).toBe(found.isAnswered);
  expect(fs.readdirSync(`${place.db}.instances`)).toHaveLength(found.locks ?? 0);
};

const DURABILITIES = ['normal', 'full'] as const;

describe.each(DURABILITIES)('with durability %s', (durability) => {
  const env = { COLIBRI_DURABILITY: durability };
  const points = POINTS.filter(({ only = durability }) => only === durability);
  test.each(points)('a death $point', ({ at, found }) =>
    eachKind(async (kind, place) => {
      const receipts = await dieIn(place, kind, at, env);
      expect(receipts, kind.name).toHaveLength(found.isAnswered ? 3 : 2);
      await expectFound(place, kind, receipts, found);
    }),
  );
});

test('a death after the intent of a call that lasts was committed: the call is closed as interrupted, not recovered', async () => {
  const place = placeFor();
  const slow: Kind = { ...PROXY, args: (key) => ({ key, ms: key === 'fatal' ? 5_000 : 0 }) };
  const { peer, arm } = await doomed(place, 'after the commit', '"kind":"call.enter"', {});
  await untilHealthy(peer, 'counts');
  await peer.call(slow.tool, slow.args('one'));
  arm();
  peer.send(fatal(slow));
  await peer.ended;
  await expectFound(place, slow, receiptsOf(peer), {
    records: 'interrupted',
    write: false,
    proxied: true,
    isAnswered: false,
  });
});

interface Recovery {
  readonly point: string;
  readonly at: string;
  readonly means: string;
}

const RECOVERIES: readonly Recovery[] = [
  { point: 'before its commit', at: 'before the commit', means: 'The journal is as it was.' },
  { point: 'after its commit', at: 'after the commit', means: 'The calls are in the ledger and in the journal.' },
  { point: 'before the journal is overwritten', at: 'before the other zeros', means: 'As before.' },
  { point: 'while the journal is overwritten', at: 'half of the other zeros', means: 'The calls are in the ledger.' },
  { point: 'before the journal is removed', at: 'before the journal is removed', means: 'The journal is empty.' },
  { point: 'after the journal is removed', at: 'after the journal is removed', means: 'The lock file is left.' },
];

/** Starts a process that dies while it recovers what others left. */
const dieRecovering = async (place: Place, at: string): Promise<void> => {
  const peer = serve(place, {
    args: ['--import', DIE_AT, MAIN, 'serve'],
    env: { DIE_AT: at, DIE_MARK: '"recovered":true' },
  });
  peer.initialize().catch(() => {}); // it may die before it has answered
  expect((await peer.ended).signal).toBe('SIGKILL');
};

test.each(RECOVERIES)('a death in recovery, $point', ({ at }) =>
  eachKind(async (kind, place) => {
    const receipts = await dieIn(place, kind, 'after the frame', {});
    await dieRecovering(place, at);
    await expectFound(place, kind, receipts, BEGUN);
  }),
);

test('twice in a row, before and after the commit of the recovery: the call is there once', async () => {
  const place = placeFor();
  const receipts = await dieIn(place, PROXY, 'after the frame', {});
  for (const at of ['before the commit', 'after the commit', 'before the journal is removed'])
    await dieRecovering(place, at);
  await expectFound(place, PROXY, receipts, BEGUN);
});

test('a death while a process makes its journal leaves nothing', async () => {
  for (const at of ['before the zeros', 'half of the zeros', 'before the header', 'after the header']) {
    const place = freshPlace();
    const peer = serve(place, { args: ['--import', DIE_AT, MAIN, 'serve'], env: { DIE_AT: at } });
    peer.initialize().catch(() => {});
    expect((await peer.ended).signal).toBe('SIGKILL');
    expect(journalsOf(place)).toHaveLength(1);
    await expectSound(place, []);
  }
});

/** The lock file of a process that had already recorded its end, and has no journal, is empty and stays: nobody looks for it. */
const END_WITHOUT_LOCK = 'after the journal is removed';

const ENDS: readonly Recovery[] = [
  { point: 'before settled intents are overwritten', at: 'before the zeros', means: 'All calls are in the ledger.' },
  { point: 'while they are overwritten', at: 'half of the zeros', means: 'A frame that is not whole hides nothing.' },
  { point: 'before the journal is removed', at: 'before the journal is removed', means: 'The journal is empty.' },
  { point: 'between journal and lock file', at: 'after the journal is removed', means: 'The lock file is left.' },
  { point: 'after the lock file', at: 'after the lock is removed', means: 'Nothing is left to do.' },
];

test.each(ENDS)('a death in a clean end, $point', ({ at }) =>
  eachKind(async (kind, place) => {
    const { peer, arm } = await doomed(place, at, '');
    if (kind.tool === PROXIED) await untilHealthy(peer, 'counts');
    for (const key of ['one', 'fatal']) await peer.call(kind.tool, kind.args(key));
    arm();
    expect((await peer.end()).signal).toBe('SIGKILL');
    const receipts = receiptsOf(peer);
    expect(receipts).toHaveLength(2);
    const locks = at === END_WITHOUT_LOCK ? 1 : 0;
    await expectFound(place, kind, receipts, { ...DONE, isAnswered: true, locks });
  }),
);
