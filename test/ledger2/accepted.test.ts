// What somebody accepts in a log of his own excuses nothing that is known without him: heads that are kept, heads that a person brings.
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.js';
import { canonicalJson, type JsonObject } from '../../src/proof/canonical-json.js';
import { type VerifyRequest, verifyStore } from '../../src/verify/verify.js';
import { forgeTail } from '../support/forged-tail.js';
import { temporaryFolder } from '../support/stores.js';
import { rebuildTree } from '../tamper/forgeries.js';
import { accept, boots, Intruder } from './own-log.js';
import { serveOnce } from './signed-store.js';

const HOST = 'here';
const FIRST = '0192f0c1-0000-7000-8000-000000000001';
const SECOND = '0192f0c1-0000-7000-8000-000000000002';

const template = fs.mkdtempSync(join(tmpdir(), 'colibri-accepted-'));
beforeAll(async () => {
  await serveOnce(template, FIRST, true, ['c1', 'c2']);
  await serveOnce(template, SECOND, true, ['c3', 'c4']);
});
afterAll(() => fs.rmSync(template, { recursive: true, force: true }));

/** A copy of the store whose heads know it, in the hands of a forger. */
const intrude = (): Intruder => {
  const dir = fs.realpathSync(temporaryFolder());
  fs.cpSync(template, dir, { recursive: true });
  const intruder = new Intruder(join(dir, 'colibri.db'));
  const { storeId: store_id, victim } = intruder;
  intruder.home(victim, { store_id, path: join(dir, 'colibri.db'), host: HOST });
  return intruder;
};

const verify = ({ dir, db }: Intruder, more: Partial<VerifyRequest> = {}) => {
  db.close();
  const request = { path: join(dir, 'colibri.db'), scope: { kind: 'store' }, headsDir: join(dir, 'heads') } as const;
  return verifyStore({ ...request, host: HOST, workers: 0, ...more });
};

/** The newest head of the first log, as somebody keeps it elsewhere. */
const keptHead = ({ dir, victim }: Intruder): string => {
  const folder = join(dir, 'heads', victim);
  const sizes = fs.readdirSync(folder).map(Number).filter(Number.isInteger);
  return fs.readFileSync(join(folder, String(Math.max(...sizes))), 'utf8');
};

const CUT = 6;

/** Cuts the log, closes it with a log of the forger, and accepts there that it came with a copy. */
const cutAndCopy = (intruder: Intruder, isPlanted = true): void => {
  const { victim } = intruder;
  intruder.cut(victim, CUT);
  intruder.takeOver(victim, [accept('copy', [intruder.standing(victim)])], isPlanted);
};

describe('a log that is cut, and accepted as a copy by a log of the forger', () => {
  it('is what the forger began with: nothing wrong', async () => {
    expect(await verify(intrude())).toMatchObject({ exit: 0, findings: [], missing: [] });
  });

  const FORGERIES: readonly (readonly [string, (intruder: Intruder) => void])[] = [
    ['its heads are all there', (intruder) => cutAndCopy(intruder)],
    [
      'the store has a new id',
      (intruder) => {
        intruder.rename();
        cutAndCopy(intruder);
      },
    ],
    [
      'the records that are left are rewritten',
      (intruder) => {
        const { victim, db } = intruder;
        intruder.cut(victim, CUT);
        db.prepare("UPDATE actions SET at = '2026-01-01T00:00:00.000Z' WHERE log_id = ? AND seq = 1").run(victim);
        intruder.rename();
        intruder.takeOver(victim, [accept('copy', [intruder.standing(victim)])]);
      },
    ],
    [
      'the log stays open',
      (intruder) => {
        const { victim } = intruder;
        intruder.cut(victim, CUT);
        intruder.begin([accept('copy', [intruder.standing(victim)])]);
      },
    ],
    [
      'the heads do not say where they belong',
      (intruder) => {
        intruder.rename();
        cutAndCopy(intruder);
        fs.rmSync(join(intruder.dir, 'heads', intruder.victim, 'store'));
      },
    ],
    [
      'the heads say another place, but the store has its id',
      (intruder) => {
        intruder.home(intruder.victim, { store_id: 'ef'.repeat(16), path: '/elsewhere', host: HOST });
        cutAndCopy(intruder);
      },
    ],
  ];
  it.each(FORGERIES)('%s: 20', async (_, forge) => {
    const intruder = intrude();
    forge(intruder);
    expect((await verify(intruder)).exit).toBe(20);
  });

  it.each([
    ['with its id', (_: Intruder) => {}],
    ['with a new id', (intruder: Intruder) => intruder.rename()],
    [
      'with a new id, and heads that say another place',
      (intruder: Intruder) => {
        intruder.home(intruder.victim, { store_id: intruder.storeId, path: '/elsewhere', host: HOST });
        intruder.rename();
      },
    ],
  ])('contradicts a head that a person brings, %s', async (_, prepare) => {
    const intruder = intrude();
    const heads = [keptHead(intruder)];
    prepare(intruder);
    cutAndCopy(intruder);
    const told = await verify(intruder, { heads });
    expect(told.exit).toBe(20);
    expect(told.findings).toContainEqual(
      expect.objectContaining({ kind: 'head', message: expect.stringMatching(/^a given head was signed for/) }),
    );
  });

  it('looks like a copy if its heads belong to another store elsewhere, but nobody has the key that accepted it', async () => {
    const intruder = intrude();
    intruder.home(intruder.victim, { store_id: intruder.storeId, path: '/elsewhere', host: HOST });
    intruder.rename();
    cutAndCopy(intruder);
    expect(await verify(intruder)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'lost key' }] });
  });
});

it('a store that is begun anew, accepted by a log of the forger: told as long as nobody has its key', async () => {
  const intruder = intrude();
  const [log, path] = ['ab'.repeat(16), join(intruder.dir, 'colibri.db')];
  intruder.plant(log, 5, keptHead(intruder));
  intruder.home(log, { store_id: 'ef'.repeat(16), path, host: HOST });
  intruder.begin([accept('begun anew', [{ log, size: 5, root: '0'.repeat(64) }])]);
  expect(await verify(intruder)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'begun anew' }] });
});

describe('a loss that a log of the forger accepts', () => {
  const restored = (intruder: Intruder): void => {
    const { victim } = intruder;
    const known = intruder.standing(victim);
    intruder.cut(victim, CUT);
    const { size, root } = intruder.standing(victim);
    intruder.close(victim);
    const loss = { previous: victim, size, root, known_size: known.size, known_root: known.root, reason: 'r' };
    intruder.begin([{ kind: 'restore', ...loss }]);
  };

  it('is told with the number of records: nobody without the key can know more', async () => {
    const intruder = intrude();
    const { size } = intruder.standing(intruder.victim);
    restored(intruder);
    expect(await verify(intruder)).toMatchObject({ exit: 10, missing: [{ kind: 'restore', count: size - CUT }] });
  });

  it('contradicts a head that a person brings', async () => {
    const intruder = intrude();
    const heads = [keptHead(intruder)];
    restored(intruder);
    expect((await verify(intruder, { heads })).exit).toBe(20);
  });
});

describe('a rotation that the key never signed', () => {
  const rotated = (intruder: Intruder, isPlanted: boolean): void => {
    const [own, path] = [intruder.key(), join(intruder.dir, 'colibri.db')];
    forgeTail(path, () => [{ kind: 'rotate', successor: own.vkey }]);
    const { log: previous, size, root } = intruder.standing(intruder.victim);
    intruder.close(previous);
    intruder.begin([{ kind: 'succeeds', previous, size, root }, boots()], { own, isPlanted });
  };

  it.each([
    ['with a head of the successor', true],
    ['with the store alone', false],
  ])('to a log of the forger, %s: 20', async (_, isPlanted) => {
    const intruder = intrude();
    rotated(intruder, isPlanted);
    const told = await verify(intruder);
    expect(told.exit).toBe(20);
    expect(told.findings.map(({ message }) => message)).toContain(
      'The log ends with a `rotate` record that is not signed.',
    );
  });
});

it('a log that was cut and is here is not missing, whoever accepts that', async () => {
  const intruder = intrude();
  const { victim } = intruder;
  const named = intruder.standing(victim);
  intruder.cut(victim, CUT);
  fs.rmSync(join(intruder.dir, 'heads', victim), { recursive: true });
  const instance = 'forger';
  intruder.begin([boots(), { kind: 'beside', instance, logs: [named] }, accept('missing log', [named])]);
  intruder.db.exec(`INSERT INTO beside SELECT 2, 1, ${named.size}`);
  const { exit, findings } = await verify(intruder);
  expect(findings.map(({ message }) => message).join()).toMatch(
    /The record names log \S+ with \d+ records; the store has 6/,
  );
  expect(exit).toBe(20);
});

describe('the id of the store', () => {
  /** Changes the migration to format 5 of the first log, whose first record has the id too. */
  const migration = (intruder: Intruder, change: (body: JsonObject) => JsonObject): void => {
    const { db, victim, dir } = intruder;
    const rows = db.prepare("SELECT id, body FROM actions WHERE kind = 'migrate'").all() as {
      id: number;
      body: string;
    }[];
    for (const { id, body } of rows) {
      const read = JSON.parse(body) as JsonObject;
      const text = canonicalJson(read.to === 5 ? change(read) : read);
      db.prepare('UPDATE actions SET body = ?, leaf = ? WHERE id = ?').run(text, leafHash(text), id);
    }
    db.exec('DELETE FROM checkpoints');
    fs.rmSync(join(dir, 'heads', victim), { recursive: true });
    rebuildTree(db, victim);
  };

  it.each<[string, (body: JsonObject) => JsonObject]>([
    ['another one', (body) => ({ ...body, store: 'cd'.repeat(16) })],
    ['none', ({ store, ...body }) => body],
  ])('in the migration that gave it: %s', async (_, change) => {
    const intruder = intrude();
    migration(intruder, change);
    const { exit, findings } = await verify(intruder);
    expect(findings).toContainEqual(expect.objectContaining({ kind: 'binding' }));
    expect(exit).toBe(20);
  });

  it('as it was: the forger does nothing else wrong', async () => {
    const intruder = intrude();
    migration(intruder, (body) => body);
    expect(await verify(intruder)).toMatchObject({ exit: 10, findings: [] });
  });

  it.each([
    ['says nothing without a head', false, 0],
    ['tells of a missing log with a head', true, 20],
  ])('in a folder of another log: it %s', async (_, isSigned, exit) => {
    const intruder = intrude();
    const [log, path] = ['ab'.repeat(16), join(intruder.dir, 'colibri.db')];
    fs.mkdirSync(join(intruder.dir, 'heads', log));
    intruder.home(log, { store_id: intruder.storeId, path, host: HOST });
    if (isSigned) intruder.plant(log, 5, keptHead(intruder));
    expect((await verify(intruder)).exit).toBe(exit);
  });
});
