// What a later process makes of the journals that it finds: every call of a dead process once, nothing of living ones, nothing of strangers.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BOOT, endingOf, intentOf, openJournaled } from '../../../test/support/journals.js';
import { now, temporaryFolder } from '../../../test/support/stores.js';
import type { Store } from '../../store/store.js';
import { LEDGER_LIMITS } from '../limits.js';
import { closeInterrupted, type InstancePlace } from './instances.js';
import { hasJournal } from './journal-folder.js';
import { END_BYTES, frameText, headerText } from './journal-format.js';
import type { Pair } from './pair.js';
import { recoverJournals } from './recover.js';

type Process = Awaited<ReturnType<typeof openJournaled>>;

/** A process that died while the calls ran. */
const deadWith = async (
  calls: readonly string[],
  dir = temporaryFolder(),
  prepare?: (dead: Process) => Promise<void>,
) => {
  const dead = await openJournaled({ dir });
  await prepare?.(dead);
  for (const call of calls) await dead.ledger.enter(intentOf(call, { text: `ü\t${call}` }));
  await dead.die();
  return dead;
};

const pairOf = (call: string): string[] => [`call.enter ${call}`, `call.exit ${call}`];
const namesIn = ({ journals }: Process): string[] => fs.readdirSync(journals.folder).toSorted();

describe('a dead process', () => {
  it('gets an intent and the outcome `interrupted` for each call in its journal, and the journal goes', async () => {
    const dead = await deadWith(['a', 'b']);
    const next = await openJournaled({ dir: dead.dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 2, kept: [] });
    expect(await next.calls()).toEqual([...pairOf('a'), ...pairOf('b')]);
    const [enter, exit] = (await next.records()).filter(({ call }) => call === 'a');
    expect(enter).toMatchObject({ instance: dead.instance, at: now(), recovered: true, sequence_no: enter?.seq });
    expect(exit).toMatchObject({ outcome: 'interrupted', recovered: true, sequence_no: enter?.seq });
    const payloads = await next.store.read((tx) => tx.all('SELECT seq, json FROM payloads'));
    expect(payloads).toContainEqual({ seq: enter?.seq, json: '{"text":"ü\\ta"}' });
    expect(namesIn(next)).toEqual([next.instance]);
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
  });

  it('gets nothing for calls that are in the ledger: settled ones, and those whose intent was committed', async () => {
    const dead = await deadWith(['open'], undefined, async ({ ledger }) => {
      const pairs = ['settled', 'early'].map((call) => ledger.enter(intentOf(call)) as Pair);
      await ledger.exit(pairs[0] as Pair, endingOf('settled'));
      await new Promise((resolve) => setTimeout(resolve, 3 * LEDGER_LIMITS.earlyIntentMs));
    });
    expect(dead.left()).toEqual(expect.arrayContaining(['open']));
    const next = await openJournaled({ dir: dead.dir });
    expect((await recoverJournals(next.place, next.journals)).calls).toBe(1);
    expect(await closeInterrupted(next.place, next.ledger)).toBe(1);
    expect((await next.calls()).toSorted()).toEqual(
      [...pairOf('settled'), ...pairOf('early'), ...pairOf('open')].toSorted(),
    );
  });

  it('is searched for from the size that the log had, and far behind it', async () => {
    const dir = temporaryFolder();
    const dead = await deadWith(['mine'], dir, async (self) => {
      for (let n = 0; n < 3; n++)
        await self.ledger.exit(await self.ledger.enter(intentOf(`before ${n}`)), endingOf(`before ${n}`));
    });
    const other = await openJournaled({ dir });
    // Many records between the intent and the search; the call itself was committed at the very end.
    const more = LEDGER_LIMITS.sweepRecords / 2 + 10;
    await other.store.write(async (tx) => {
      for (let n = 0; n < more; n++) await other.ledger.pair(tx, intentOf(`o${n}`), endingOf(`o${n}`));
      await other.ledger.pair(tx, intentOf('mine'), endingOf('mine'));
    });
    expect(dead.left()).toContain('mine');
    expect((await recoverJournals(other.place, other.journals)).calls).toBe(0);
    expect(namesIn(other)).toEqual([other.instance]);
  });

  it('is searched for in all records since the oldest frame, from the first of them on', async () => {
    const dead = await deadWith(['last'], undefined, async ({ ledger, place, left }) => {
      await ledger.exit(await ledger.enter(intentOf('first')), endingOf('first')); // learns the size of the log
      const held = (await ledger.enter(intentOf('held'))) as Pair;
      held.isClaimed = true; // is never committed by itself, and keeps the journal from starting again
      const early = (await ledger.enter(intentOf('early'))) as Pair;
      const size = place.log.committed;
      await new Promise((resolve) => setTimeout(resolve, 3 * LEDGER_LIMITS.earlyIntentMs));
      expect([early.seq, left()]).toEqual([size, ['held', 'early']]);
    });
    const next = await openJournaled({ dir: dead.dir });
    expect((await recoverJournals(next.place, next.journals)).calls).toBe(2);
    expect((await next.calls()).filter((call) => call === 'call.enter early')).toHaveLength(1);
  });

  it('with a torn journal gets what is whole in it', async () => {
    const dead = await deadWith(['a', 'b', 'c']);
    const bytes = fs.readFileSync(dead.path);
    bytes.fill('?', bytes.indexOf('"call":"b"'), bytes.indexOf('"call":"b"') + 5);
    fs.writeFileSync(dead.path, bytes);
    const next = await openJournaled({ dir: dead.dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 2, kept: [] });
    expect(await next.calls()).toEqual([...pairOf('a'), ...pairOf('c')]);
    expect(namesIn(next)).toEqual([next.instance]);
  });

  it.each([
    ['no byte', 0],
    ['zeros alone', LEDGER_LIMITS.journalBytes],
  ])('that died while it made its journal, with %s, leaves nothing', async (_, bytes) => {
    const dead = await deadWith([]);
    fs.writeFileSync(dead.path, Buffer.alloc(bytes));
    const next = await openJournaled({ dir: dead.dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
    expect(namesIn(next)).toEqual([next.instance]);
  });

  it('that died after its journal was looked for keeps its lock file until the journal is recovered', async () => {
    const dir = temporaryFolder();
    const next = await openJournaled({ dir });
    await recoverJournals(next.place, next.journals);
    const dead = await deadWith(['a'], dir);
    const isNeeded = (instance: string): boolean => hasJournal(next.journals, instance);
    await closeInterrupted(next.place, next.ledger, isNeeded);
    expect(fs.existsSync(dead.lock)).toBe(true);
    expect((await recoverJournals(next.place, next.journals)).calls).toBe(1);
    await closeInterrupted(next.place, next.ledger, isNeeded);
    expect(fs.existsSync(dead.lock)).toBe(false);
    expect(await next.calls()).toEqual(pairOf('a'));
  });
});

describe('a process that may live', () => {
  it('keeps its journal', async () => {
    const dir = temporaryFolder();
    const living = await openJournaled({ dir });
    await living.ledger.enter(intentOf('a'));
    const next = await openJournaled({ dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
    expect(living.left()).toEqual(['a']);
    expect(await recoverJournals(living.place, living.journals)).toEqual({ calls: 0, kept: [] });
  });

  it('without a lock file keeps its journal until the machine was started again', async () => {
    const dead = await deadWith(['a']);
    fs.rmSync(dead.lock);
    const next = await openJournaled({ dir: dead.dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
    expect(await recoverJournals(next.place, { ...next.journals, machineBoot: 'next-boot' })).toMatchObject({
      calls: 1,
    });
  });

  it('without a lock file, on a machine that does not say when it was started, keeps its journal', async () => {
    const dir = temporaryFolder();
    const dead = await openJournaled({ dir, machineBoot: '-' });
    await dead.ledger.enter(intentOf('a'));
    await dead.die();
    fs.rmSync(dead.lock);
    const next = await openJournaled({ dir });
    expect(await recoverJournals(next.place, { ...next.journals, machineBoot: null })).toMatchObject({ calls: 0 });
  });
});

it('a process that ended well and left intents behind is recovered at once, although it removed its lock file', async () => {
  const dir = temporaryFolder();
  const ended = await openJournaled({ dir });
  await ended.ledger.enter(intentOf('a'));
  ended.ledger.end();
  await ended.store.close();
  expect(fs.existsSync(ended.lock)).toBe(false);
  const next = await openJournaled({ dir });
  expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 1, kept: [] });
  expect(namesIn(next)).toEqual([next.instance]);
});

describe('a journal that somebody wrote', () => {
  it('without the key is reported and kept; what has the right MAC is added', async () => {
    const dead = await deadWith(['real']);
    const owner = { log: dead.ledger.log.id, instance: dead.instance, machineBoot: BOOT };
    const bytes = fs.readFileSync(dead.path);
    const end = bytes.indexOf(4);
    const line = bytes.toString('utf8', bytes.indexOf('{'), end).replace('real', 'forged');
    bytes.write(
      frameText(owner, { generation: 9, size: 0 }, line, () => '0'.repeat(64)),
      end,
    );
    fs.writeFileSync(dead.path, bytes);
    const next = await openJournaled({ dir: dead.dir });
    const { calls, kept } = await recoverJournals(next.place, next.journals);
    expect(calls).toBe(1);
    expect(kept).toEqual([expect.stringContaining(`${dead.path}.kept: `)]);
    expect(await next.calls()).toEqual(pairOf('real'));
    expect(namesIn(next)).toEqual([`${dead.instance}.kept`, next.instance].toSorted());
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
  });

  it('once more, after it was recovered, adds nothing', async () => {
    const dead = await deadWith(['a']);
    const copy = fs.readFileSync(dead.path);
    const next = await openJournaled({ dir: dead.dir });
    await recoverJournals(next.place, next.journals);
    fs.writeFileSync(dead.path, copy);
    await recoverJournals(next.place, { ...next.journals, machineBoot: 'next-boot' });
    expect(await next.calls()).toEqual(pairOf('a'));
  });

  it('under the name of another process adds nothing', async () => {
    const dead = await deadWith(['a']);
    const stranger = crypto.randomUUID();
    fs.renameSync(dead.path, join(dead.journals.folder, stranger));
    fs.writeFileSync(join(dead.dir, 'colibri.db.instances', stranger), '');
    const next = await openJournaled({ dir: dead.dir });
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
    expect(await next.calls()).toEqual([]);
  });
});

it('links, pipes, folders, huge and foreign files in the folder do nothing, and do not stop the others', async () => {
  const dead = await deadWith(['a']);
  const { folder } = dead.journals;
  const strange = Array.from({ length: 6 }, () => crypto.randomUUID());
  const at = (n: number): string => join(folder, strange[n] ?? '');
  for (const name of strange) fs.writeFileSync(join(dead.dir, 'colibri.db.instances', name), '');
  const outside = join(dead.dir, 'outside');
  fs.writeFileSync(outside, 'mine');
  fs.symlinkSync(outside, at(0));
  spawnSync('mkfifo', [at(1)]);
  fs.mkdirSync(at(2));
  fs.writeFileSync(at(3), Buffer.alloc(LEDGER_LIMITS.journalBytes + 1));
  fs.writeFileSync(at(4), '# notes\n');
  fs.symlinkSync(join(folder, 'nowhere'), at(5));
  fs.writeFileSync(join(folder, 'notes.txt'), 'mine');
  const before = fs.readdirSync(folder).filter((name) => name !== dead.instance);
  const next = await openJournaled({ dir: dead.dir });
  expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 1, kept: [] });
  expect(namesIn(next)).toEqual([...before, next.instance].toSorted());
  expect(fs.readFileSync(outside, 'utf8')).toBe('mine');
});

it('a folder that is a link is not looked into', async () => {
  const dead = await deadWith(['a']);
  const { folder } = dead.journals;
  fs.renameSync(folder, `${folder}.real`);
  fs.symlinkSync(`${folder}.real`, folder);
  const next = await openJournaled();
  expect(await recoverJournals(next.place, { ...next.journals, folder })).toEqual({ calls: 0, kept: [] });
});

describe('a log that is closed', () => {
  const closed = async (calls: readonly string[] = ['a', 'b']) => {
    const dead = await deadWith(calls, undefined, async ({ ledger }) => {
      const held = (await ledger.enter(intentOf('held'))) as Pair;
      await ledger.exit((await ledger.enter(intentOf('settled'))) as Pair, endingOf('settled'));
      await ledger.exit(held, endingOf('held'));
    });
    const next = await openJournaled({ dir: dead.dir, node: 'host/user' });
    // The key was lost: the next process of the machine and user begins a log of its own.
    fs.rmSync(join(dead.dir, 'keys', dead.ledger.log.id));
    next.ledger.end();
    await next.store.close();
    const heir = await openJournaled({ dir: dead.dir, node: 'host/user' });
    expect(heir.ledger.log.id).not.toBe(dead.ledger.log.id);
    return { dead, heir };
  };
  const gapsOf = async ({ records }: Process) => (await records()).filter(({ kind }) => kind === 'gap');

  it('gets one gap in the log that follows it, and the file is kept', async () => {
    const { dead, heir } = await closed();
    const { calls, kept } = await recoverJournals(heir.place, heir.journals);
    expect(calls).toBe(0);
    expect(kept).toEqual([expect.stringContaining(`${dead.path}.kept`)]);
    expect(await gapsOf(heir)).toMatchObject([{ count: 2, first_at: now(), last_at: now(), log: heir.ledger.log.id }]);
    expect(namesIn(heir)).toContain(`${dead.instance}.kept`);
    await recoverJournals(heir.place, heir.journals);
    expect(await gapsOf(heir)).toHaveLength(1);
  });

  it('gets no gap for calls that it has, and the file goes', async () => {
    const { dead, heir } = await closed([]);
    expect(dead.left()).toEqual(['held', 'settled']);
    expect(await recoverJournals(heir.place, heir.journals)).toEqual({ calls: 0, kept: [] });
    expect(await gapsOf(heir)).toEqual([]);
    expect(namesIn(heir)).toEqual([heir.instance]);
  });

  it('gets no second gap if the process died between the record and the new name', async () => {
    const { dead, heir } = await closed();
    const copy = fs.readFileSync(dead.path);
    await recoverJournals(heir.place, heir.journals);
    fs.rmSync(`${dead.path}.kept`);
    fs.writeFileSync(dead.path, copy);
    await recoverJournals(heir.place, heir.journals);
    expect(await gapsOf(heir)).toHaveLength(1);
  });
});

describe('a process whose start the log has no more, because an older store was put back', () => {
  it('gets one gap, and the file is kept', async () => {
    const first = await openJournaled();
    first.ledger.end();
    await first.store.close();
    const db = join(first.dir, 'colibri.db');
    const older = fs.readFileSync(db);
    const dead = await deadWith(['a', 'b'], first.dir);
    for (const ending of ['-wal', '-shm']) fs.rmSync(`${db}${ending}`, { force: true });
    fs.writeFileSync(db, older);
    const next = await openJournaled({ dir: first.dir });
    for (let sweep = 0; sweep < 2; sweep++) {
      const { calls, kept } = await recoverJournals(next.place, next.journals);
      expect([calls, kept.length]).toEqual([0, sweep === 0 ? 1 : 0]);
    }
    expect(await next.calls()).toEqual([]);
    const gaps = (await next.records()).filter(({ kind }) => kind === 'gap');
    expect(gaps).toMatchObject([{ count: 2, reason: 'journal of a process whose start is missing' }]);
    expect(namesIn(next)).toContain(`${dead.instance}.kept`);
  });

  it('is not one that died in the middle of a clean end: that one has its record, and its calls are added', async () => {
    const dead = await deadWith(['a']);
    const next = await openJournaled({ dir: dead.dir });
    await next.store.write((tx) => tx.run('DELETE FROM instances WHERE instance = ?', dead.instance));
    expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 1, kept: [] });
  });
});

describe('several that recover', () => {
  it('at once add each call once', async () => {
    const dir = temporaryFolder();
    const dead = [await deadWith(['a', 'b'], dir), await deadWith(['c'], dir)];
    const living = await Promise.all([openJournaled({ dir }), openJournaled({ dir }), openJournaled({ dir })]);
    const done = await Promise.all(living.map(({ place, journals }) => recoverJournals(place, journals)));
    expect(done.reduce((sum, { calls }) => sum + calls, 0)).toBe(3);
    expect(done.flatMap(({ kept }) => kept)).toEqual([]);
    const [first] = living;
    expect((await first?.calls())?.toSorted()).toEqual(['a', 'b', 'c'].flatMap(pairOf).toSorted());
    for (const { path } of dead) expect(fs.existsSync(path)).toBe(false);
  });

  /** The place of a process that dies where `write` says. */
  const dying = (place: InstancePlace, write: Store['write']): InstancePlace => ({
    ...place,
    store: new Proxy(place.store, {
      get: (target, key) => {
        if (key === 'write') return write;
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  });

  it('one after the other: the first died before its commit, the second after it', async () => {
    const dead = await deadWith(['a', 'b']);
    const next = await openJournaled({ dir: dead.dir });
    const { place, journals } = next;
    const before = dying(place, () => Promise.reject(new Error('died')));
    const after = dying(place, async (fn, options) => {
      await place.store.write(fn, options);
      throw new Error('died');
    });
    expect(await recoverJournals(before, journals)).toEqual({ calls: 0, kept: [`${dead.path}: died`] });
    expect(await next.calls()).toEqual([]);
    expect((await recoverJournals(after, journals)).calls).toBe(0);
    expect(dead.left()).toEqual(['a', 'b']);
    expect(await recoverJournals(place, journals)).toEqual({ calls: 0, kept: [] });
    expect(await next.calls()).toEqual([...pairOf('a'), ...pairOf('b')]);
    expect(namesIn(next)).toEqual([next.instance]);
  });

  it('one died while it overwrote the journal: the file still goes', async () => {
    const dead = await deadWith(['a', 'b']);
    const next = await openJournaled({ dir: dead.dir });
    const begin = headerText({ log: dead.ledger.log.id, instance: dead.instance, machineBoot: BOOT }).length;
    const bytes = fs.readFileSync(dead.path);
    const frame = bytes.indexOf(10, begin) + END_BYTES;
    await next.store.write(async (tx) => {
      for (const call of ['a', 'b']) await next.ledger.pair(tx, intentOf(call), endingOf(call));
    });
    for (const to of [begin + 1, frame, bytes.length]) {
      fs.writeFileSync(dead.lock, '');
      fs.writeFileSync(dead.path, Buffer.from(bytes).fill(0, begin, to));
      expect(await recoverJournals(next.place, next.journals)).toEqual({ calls: 0, kept: [] });
      expect(namesIn(next)).toEqual([next.instance]);
    }
    expect(await next.calls()).toEqual([...pairOf('a'), ...pairOf('b')]);
  });
});
