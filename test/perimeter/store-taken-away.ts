// Ways to take a store away from a process that uses it, and what must be true afterwards.
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { type Receipt, receiptOf } from '../support/ledger-check.js';
import { type Message, type Peer, type Place, serve } from '../support/serve.js';

export type Attack = (db: string) => void;

const movedFolder = (db: string): string => {
  const away = `${dirname(db)}-away`;
  fs.renameSync(dirname(db), away);
  return away;
};

/** Each with what the refusal must say. */
export const ATTACKS: Readonly<Record<string, readonly [attack: Attack, reason: RegExp]>> = {
  deleted: [(db) => fs.rmSync(db), /colibri\.db is gone/],
  'renamed away': [(db) => fs.renameSync(db, `${db}.old`), /colibri\.db is gone/],
  'replaced by a copy': [
    (db) => {
      fs.copyFileSync(db, `${db}.copy`);
      fs.renameSync(`${db}.copy`, db);
    },
    /another file is in the place of .*colibri\.db/,
  ],
  'replaced by an empty file': [
    (db) => {
      fs.rmSync(db);
      fs.writeFileSync(db, '');
    },
    /another file is in the place of .*colibri\.db/,
  ],
  'replaced by a link to another database': [
    (db) => {
      fs.copyFileSync(db, `${db}.other`);
      fs.rmSync(db);
      fs.symlinkSync(`${db}.other`, db);
    },
    /another file is in the place of .*colibri\.db/,
  ],
  'replaced by a folder': [
    (db) => {
      fs.rmSync(db);
      fs.mkdirSync(db);
    },
    /another file is in the place of .*colibri\.db/,
  ],
  'in a folder that is removed': [(db) => fs.rmSync(dirname(db), { recursive: true }), /colibri\.db is gone/],
  'in a folder that a link replaces': [
    (db) => {
      const away = movedFolder(db);
      fs.mkdirSync(`${away}-2`);
      fs.symlinkSync(`${away}-2`, dirname(db));
    },
    /colibri\.db is gone/,
  ],
  'in a folder that a file replaces': [
    (db) => {
      movedFolder(db);
      fs.writeFileSync(dirname(db), '');
    },
    /colibri\.db is gone/,
  ],
  'without its write-ahead log': [(db) => fs.rmSync(`${db}-wal`), /colibri\.db-wal is gone/],
  'with another write-ahead log': [
    (db) => {
      fs.rmSync(`${db}-wal`);
      fs.writeFileSync(`${db}-wal`, '');
    },
    /another file is in the place of .*colibri\.db-wal/,
  ],
  'with its write-ahead log emptied': [(db) => fs.truncateSync(`${db}-wal`), /colibri\.db-wal was cut short/],
  'without both files of its write-ahead log': [
    (db) => {
      for (const end of ['-wal', '-shm']) fs.rmSync(`${db}${end}`);
    },
    /colibri\.db-wal is gone/,
  ],
};

const refusalOf = (answer: Message): Message => answer.result.structuredContent.error;

/** Starts a server and lets it record something, which the returned receipts are for. */
export const inUse = async (place: Place): Promise<{ peer: Peer; receipts: Receipt[] }> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const answers = [await peer.call('task_create', { title: 'Before' }), await peer.call('task_list', {})];
  const receipts = answers.map(receiptOf).filter((receipt) => receipt !== undefined);
  expect(receipts).toHaveLength(2);
  return { peer, receipts };
};

export const rescuedIn = (place: Place): string[] =>
  fs
    .readdirSync(place.dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file).startsWith('colibri.db.rescued-'))
    .map((file) => join(place.dir, file));

/** Every kind of call is refused with the reason and has no receipt. */
export const refusesEverything = async (peer: Peer, reason: RegExp): Promise<void> => {
  const calls: readonly (readonly [string, Message])[] = [
    ['task_create', { title: 'After' }],
    ['task_list', {}],
    ['thought_record', { type: 'decision', content: 'After' }],
    ['task_create', { title: 'Again' }],
  ];
  for (const [tool, args] of calls) {
    const answer = await peer.call(tool, args);
    expect(receiptOf(answer), tool).toBeUndefined();
    expect(refusalOf(answer), tool).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(reason),
    });
  }
};

/** What was acknowledged is in the copy that was written aside, and nothing contradicts it. */
export const isRescued = async (place: Place, peer: Peer, receipts: readonly Receipt[]): Promise<void> => {
  await peer.until(() => peer.stderr.includes('the contents of the store were saved to'));
  const [copy = '', ...more] = rescuedIn(place);
  expect(more).toEqual([]);
  expect(fs.statSync(copy).mode & 0o777).toBe(0o600);
  const kept = join(place.dir, 'receipts.jsonl');
  fs.writeFileSync(kept, receipts.map((receipt) => `${JSON.stringify(receipt)}\n`).join(''));
  const verified = await colibri(place, ['verify', '--db', copy, '--receipts', kept, '--json']);
  expect([0, 10], verified.stdout).toContain(verified.code);
  expect(json(verified).findings).toEqual([]);
};
