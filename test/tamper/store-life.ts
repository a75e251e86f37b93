// Stores made by real processes: several at once on one file, some of them killed, and the keys and heads that belong to
// them, away from the store as they are in life. A second machine may share the store.
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { type Random, randomFrom } from '../support/random.js';
import { type Environment, freshPlace, MAIN, type Peer, type Place, serve } from '../support/serve.js';
import { otherMachineOf, type Sharing, thisMachineOf } from '../support/two-machines.js';
import { work } from './traffic.js';

export interface MadeStore {
  readonly path: string;
  readonly keysDir: string;
  readonly headsDir: string;
  /** Copies of the file as it was at earlier moments, oldest first. */
  readonly older: readonly string[];
  remove(): Promise<void>;
}

const start = async (place: Place, name: string, env: Environment = {}): Promise<Peer> => {
  const peer = serve(place, { env });
  await peer.initialize(name);
  await peer.phase2(20_000);
  return peer;
};

/** Processes that work at once, then end. */
export interface Round {
  readonly processes: number;
  readonly calls: number;
  /** How many of the processes end by SIGKILL in the middle of their work. */
  readonly killed?: number;
  readonly env?: Environment;
  /** If given, every second process runs on another machine, which has this in common with the first one. */
  readonly shared?: Sharing;
}

/** What happens to a store in its life besides work. */
export type Event = 'the key is lost' | 'contents are erased' | 'arguments are pruned' | 'a backup is put back';

/** The environment of the process with this number. */
const envOf = (place: Place, { env = {}, shared }: Round, i: number): Environment =>
  shared === undefined || i % 2 === 0 ? env : { ...env, ...otherMachineOf(place, shared).env };

const play = async (place: Place, round: Round, random: Random): Promise<void> => {
  const { processes, calls, killed = 0 } = round;
  const names = Array.from({ length: processes }, (_, i) => `client \ufffd ${i}`);
  const peers = await Promise.all(names.map((name, i) => start(place, name, envOf(place, round, i))));
  await Promise.all(
    peers.map(async (peer, i) => {
      const working = work(peer, randomFrom(random.int(2 ** 32)), calls);
      if (i >= killed) return working.then(() => peer.end());
      await work(peer, random, random.int(calls));
      return peer.kill('SIGKILL').then(() => working);
    }),
  );
};

/** Opens and closes it once more, so that everything is in the one file. */
const settle = async (place: Place): Promise<void> => {
  const peer = await start(place, 'last');
  await peer.end();
  if (existsSync(`${place.db}-wal`)) throw new Error('the last process left a write-ahead log');
};

const command = (place: Place, args: readonly string[], env: Environment = {}): Promise<unknown> =>
  promisify(execFile)(process.execPath, [MAIN, ...args, '--db', place.db], {
    cwd: place.dir,
    env: { ...place.env, ...env },
  });

/** Ids of what is still there: a thought and the arguments of a call. */
const erasable = (path: string, random: Random): string[] => {
  const db = new Database(path, { readonly: true });
  const thoughts = db.prepare<[], { id: string }>('SELECT thought_id AS id FROM thoughts WHERE content > 0').all();
  const payloads = db
    .prepare<[], { id: string }>("SELECT 'payload:' || log_id || '/' || seq AS id FROM payloads")
    .all();
  db.close();
  return [thoughts, payloads].flatMap((list) => (list.length > 0 ? [random.pick(list).id] : []));
};

/** When one of the calls began whose arguments are kept: some are older, if it is not the first. */
const momentIn = (path: string, random: Random): string => {
  const db = new Database(path, { readonly: true });
  const moments = db
    .prepare<[], { at: string }>(
      `SELECT a.at FROM payloads p JOIN actions a ON a.log_id = p.log_id AND a.seq = p.seq ORDER BY a.at`,
    )
    .all();
  db.close();
  return moments.length === 0 ? '1h' : random.pick(moments.slice(moments.length >> 2)).at;
};

/** What a store has been through so far. */
interface Past {
  /** Copies of the file, oldest first. */
  readonly older: readonly string[];
  /** The environments of the machines that have heads of their own. */
  readonly machines: readonly Environment[];
}

/** Accepts, on every machine whose heads know more than the store, that it went back. */
const acceptAll = async (place: Place, { machines }: Past): Promise<void> => {
  for (const env of machines) {
    const knowsMore = await command(place, ['restore'], env).then(
      () => false,
      () => true,
    );
    if (knowsMore) await command(place, ['accept-loss', 'test', '--yes'], env);
  }
};

const EVENTS: Readonly<Record<Event, (place: Place, random: Random, past: Past) => Promise<unknown>>> = {
  'the key is lost': async (place) => rmSync(thisMachineOf(place).keysDir, { recursive: true }),
  'contents are erased': (place, random) =>
    command(place, ['erase', ...erasable(place.db, random), '--reason', 'test', '--yes']),
  'arguments are pruned': (place, random) => command(place, ['prune', '--before', momentIn(place.db, random), '--yes']),
  'a backup is put back': async (place, _random, past) => {
    const [backup = ''] = past.older.slice(-2);
    copyFileSync(backup, place.db);
    await acceptAll(place, past);
  },
};

const placeOfItsOwn = (): { place: Place; remove: () => Promise<void> } => {
  const cleaners: (() => Promise<void>)[] = [];
  const place = freshPlace((clean) => void cleaners.push(clean));
  const remove = async () => {
    for (const clean of cleaners) await clean();
  };
  return { place, remove };
};

const live = async (place: Place, random: Random, life: readonly (Round | Event)[]): Promise<string[]> => {
  const older: string[] = [];
  const isApart = life.some((step) => typeof step !== 'string' && step.shared === 'nothing');
  const machines = isApart ? [{}, otherMachineOf(place, 'nothing').env] : [{}];
  for (const [i, step] of life.entries()) {
    if (typeof step === 'string') await EVENTS[step](place, random, { older, machines });
    else await play(place, step, random);
    await settle(place);
    const copy = join(place.dir, `older-${i}.db`);
    copyFileSync(place.db, copy);
    older.push(copy);
  }
  return older.slice(0, -1);
};

type Placed = Omit<MadeStore, 'older' | 'remove'>;

const placed = (place: Place): Placed => {
  const { keysDir, headsDir } = thisMachineOf(place);
  return { path: place.db, keysDir, headsDir };
};

/** The life of a store, a copy of the file after each part of it. */
export const makeStore = async (seed: number, life: readonly (Round | Event)[]): Promise<MadeStore> => {
  const { place, remove } = placeOfItsOwn();
  try {
    const older = await live(place, randomFrom(seed), life);
    return { ...placed(place), older, remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
};

/** Looks at a store again and again while processes write to it. */
export const duringWork = async (seed: number, round: Round, look: (store: Placed) => Promise<void>): Promise<void> => {
  const { place, remove } = placeOfItsOwn();
  const random = randomFrom(seed);
  try {
    await play(place, { processes: 1, calls: 5 }, random);
    const playing = { isOver: false };
    const played = play(place, round, random).finally(() => {
      playing.isOver = true;
    });
    while (!playing.isOver) await look(placed(place));
    await played;
  } finally {
    await remove();
  }
};
