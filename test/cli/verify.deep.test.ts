// colibri verify on stores: what each exit code stands for, and evidence from outside.
import '../support/deep-part.js';
import './verify.test.js';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  colibri,
  copyStore,
  dataOf,
  headFiles,
  headsDir,
  json,
  keysDir,
  replaceStore,
  rows,
  stateDir,
  usedStore,
  useMore,
} from '../support/command-line.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Place, serve, session } from '../support/serve.js';
import { change } from './verify.shared.js';

/** Another history in the place of the first: database, keys and heads. */
const forge = (victim: Place, forger: Place): void => {
  replaceStore(victim, forger.db);
  fs.rmSync(stateDir(victim), { recursive: true });
  fs.cpSync(stateDir(forger), stateDir(victim), { recursive: true });
};

test('a task without thoughts: nothing was there to check, and it is said', async () => {
  const { place } = await usedStore();
  await session(place, (peer) => peer.call('task_create', { title: 'No word about it' }));
  const ran = await colibri(place, ['verify', '--task', 'T-0002']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/^NOTHING TO CHECK {2}task T-0002 /) });
  expect(ran.stdout).toContain('No thought is recorded for this task');
  expect(json(await colibri(place, ['verify', '--task', 'T-0002', '--json'])).remarks.join()).toContain('No thought');
  expect((await colibri(place, ['verify', '--task', 'T-0001'])).stdout).toMatch(/^OK {2}task T-0001 /);
});

test('a store in the place of a proof file: 30, and how it is verified', async () => {
  const { place } = await usedStore();
  expect(await colibri(place, ['verify', place.db])).toMatchObject({
    code: 30,
    stdout: expect.stringContaining(`This is a store, not a proof file: colibri verify --db ${place.db}`),
  });
});

test('text in a store cannot paint on the terminal', async () => {
  const { place } = await usedStore();
  change(place, `UPDATE logs SET log_id = char(27) || '[32mOK' WHERE 0; CREATE TABLE "x\u001b[2Jy" (a)`);
  const ran = await colibri(place, ['verify']);
  expect(ran.code).toBe(20);
  expect(ran.stdout).not.toContain('\u001b');
  expect(ran.stdout).toContain('\\u001b');
});

test('one session, one task; unknown ones are not judged', async () => {
  const { place } = await usedStore();
  const [open] = rows<{ session_id: string }>(place, 'SELECT session_id FROM sessions WHERE task_id IS NOT NULL');
  const id = open?.session_id ?? '';
  expect(json(await colibri(place, ['verify', '--session', id, '--json']))).toMatchObject({
    exit: 0,
    scope: { kind: 'session', id },
  });
  for (const task of ['T-0001', 't-1', '1']) {
    expect(json(await colibri(place, ['verify', '--task', task, '--json']))).toMatchObject({
      exit: 0,
      scope: { id: 'T-0001' },
      custody: { heads: 'not looked for' },
    });
  }
  expect(await colibri(place, ['verify', '--task', 'T-0099'])).toMatchObject({
    code: 30,
    stdout: expect.stringContaining('no task T-0099'),
  });
  expect(await colibri(place, ['verify', '--session', 'nope'])).toMatchObject({ code: 30 });
  expect(await colibri(place, ['verify', '--task', 'banana'])).toMatchObject({ code: 1 });
  expect(await colibri(place, ['verify', '--task', '1', '--session', id])).toMatchObject({ code: 1 });
  for (const option of ['--head', '--receipts', '--since']) {
    for (const scope of [['--task', '1'] as const, ['--session', id] as const]) {
      const ran = await colibri(place, ['verify', ...scope, option, '/nowhere']);
      expect(ran).toMatchObject({ code: 1, stdout: '' });
      expect(ran.stderr).toContain(`${scope[0]} does not go with ${option}. Leave ${scope[0]} out`);
    }
  }
  change(place, `UPDATE thoughts SET content = 'never said' WHERE task_id IS NOT NULL`);
  expect(await colibri(place, ['verify', '--task', 'T-0001'])).toMatchObject({ code: 20 });
});

test('heads from outside: of this log 0, of another 20, none 30', async () => {
  const { place, log } = await usedStore();
  const kept = join(place.dir, 'kept');
  fs.copyFileSync(headFiles(place, log)[0] ?? '', kept);
  await useMore(place);
  const good = await colibri(place, ['verify', '--head', kept, '--head', headFiles(place, log).at(-1) ?? '']);
  expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('heads: given') });
  const other = await usedStore();
  fs.copyFileSync(headFiles(other.place, other.log)[0] ?? '', kept);
  expect(await colibri(place, ['verify', '--head', kept])).toMatchObject({
    code: 20,
    stdout: expect.stringContaining('does not belong to a log of this store'),
  });
  expect(await colibri(place, ['verify', '--head', '/nowhere'])).toMatchObject({
    code: 30,
    stdout: expect.stringContaining('head /nowhere cannot be read'),
  });
});

test('a store that went back: one contradiction for all its heads, the newest named, and what to do', async () => {
  const { place, log } = await usedStore();
  const copy = copyStore(place);
  const before = headFiles(place, log).length;
  for (let times = 0; times < 3; times++) await useMore(place);
  replaceStore(place, copy);
  const newest = headFiles(place, log).at(-1) ?? '';
  const ahead = headFiles(place, log).length - before;
  expect(ahead).toBeGreaterThan(1);
  const ran = await colibri(place, ['verify']);
  expect(ran).toMatchObject({ code: 20, stdout: expect.stringMatching(/^1 contradiction:$/m) });
  expect(ran.stdout).toContain(
    `  head log ${log}: ${ahead} signed heads do not match this log; the newest: ${newest} was`,
  );
  expect(ran.stdout).toContain('colibri restore explains it and puts a backup in place');
  const whole = json(await colibri(place, ['verify', '--json']));
  expect(whole).toMatchObject({ exit: 20, broken_count: ahead });
  expect(whole.findings).toHaveLength(ahead);
});

test('no head is known: 10', async () => {
  const { place } = await usedStore();
  fs.rmSync(headsDir(place), { recursive: true });
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 10,
    stdout: expect.stringMatching(/INTACT, INCOMPLETE[\s\S]*no head/),
  });
});

test('--since: what a trusted head covers is skipped and listed', async () => {
  const { place, log } = await usedStore();
  await session(place, async (peer) => {
    for (let n = 0; n < 4_500; n += 50) {
      await Promise.all(Array.from({ length: 50 }, () => peer.call('server_ping', {})));
    }
  });
  const kept = join(place.dir, 'kept');
  fs.copyFileSync(headFiles(place, log).at(-1) ?? '', kept);
  await useMore(place);
  const ran = await colibri(place, ['verify', '--since', kept]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/the first 8,192 records were taken on trust/) });
  const whole = json(await colibri(place, ['verify', '--json']));
  expect(whole.record_count - json(await colibri(place, ['verify', '--since', kept, '--json'])).record_count).toBe(
    8_192,
  );
});

test('store, key and heads replaced together: verify alone cannot know and says so; an older head does', async () => {
  const { place, log } = await usedStore();
  const kept = join(place.dir, 'kept');
  fs.copyFileSync(headFiles(place, log).at(-1) ?? '', kept);
  const other = await usedStore();
  forge(place, other.place);
  const fooled = await colibri(place, ['verify']);
  expect(fooled).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Whoever holds both the key and the heads'),
  });
  expect(fooled.stdout).toMatch(/^Custody: key: readable by the user this runs as: .*\n {9}heads: same disk/m);
  expect(await colibri(place, ['verify', '--head', kept])).toMatchObject({ code: 20 });
});

test('the same with the same key', async () => {
  const { place, log } = await usedStore();
  const kept = join(place.dir, 'kept');
  fs.copyFileSync(headFiles(place, log)[0] ?? '', kept);
  const forger = freshPlace();
  const key = join(forger.dir, 'stolen');
  fs.copyFileSync(join(keysDir(place), log), key);
  await session(forger, async (peer) => dataOf(await peer.call('task_create', { title: 'never happened' })), {
    env: { COLIBRI_KEY_FILE: key },
  });
  for (let n = 0; n < 3; n++) {
    await session(forger, (peer) => peer.call('server_ping', {}), { env: { COLIBRI_KEY_FILE: key } });
  }
  fs.mkdirSync(keysDir(forger));
  fs.copyFileSync(key, join(keysDir(forger), log));
  forge(place, forger);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Custody: /m) });
  expect(await colibri(place, ['verify', '--head', kept])).toMatchObject({
    code: 20,
    stdout: expect.stringContaining('the log begins with other records'),
  });
});

test('beside a server that works', async () => {
  const { place } = await usedStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  let calls = 0;
  const busy = (async () => {
    while (calls < 300) {
      await peer.call('task_create', { title: `t${calls}` });
      calls += 1;
    }
  })();
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  await busy;
  await peer.end();
});

test.runIf(process.getuid?.() === 0)('a folder that cannot be written: a verdict, or how to get one', async () => {
  const { place } = await usedStore();
  const nobody = 65_534;
  fs.chmodSync(place.dir, 0o755);
  fs.chmodSync(join(place.db, '..'), 0o755);
  fs.chmodSync(place.db, 0o644);
  for (const suffix of ['-wal', '-shm']) fs.rmSync(`${place.db}${suffix}`, { force: true });
  const ran = await colibri(place, ['verify'], { uid: nobody, env: { COLIBRI_HEADS_DIR: join(place.dir, 'none') } });
  if (ran.code !== 10) expect(ran).toMatchObject({ code: 30, stdout: expect.stringMatching(/cannot write .*--db/) });
});

test('an older copy beside newer heads: 20 with a way out, and --copy judges what is in it', async () => {
  const { place } = await usedStore();
  const copy = json(await colibri(place, ['backup', join(place.dir, 'monday.db'), '--json'])).file;
  const fresh = await colibri(place, ['verify', '--db', copy, '--copy']);
  expect(fresh).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK /) });
  expect(fresh.stdout).not.toContain('older copy:');
  await useMore(place);
  const broken = await colibri(place, ['verify', '--db', copy]);
  expect(broken).toMatchObject({ code: 20, stdout: expect.stringContaining('colibri verify --db <file> --copy') });
  const told = await colibri(place, ['verify', '--db', copy, '--copy']);
  expect(told).toMatchObject({ code: 0, stdout: expect.stringMatching(/^OK /) });
  expect(told.stdout).toMatch(
    /The store is an older copy: \d+ records of log [0-9a-f]+ were signed, \d+ of them are in it\./,
  );
  expect(told.stdout).toContain('whether the store went back was not checked');
  expect(told.stdout).toContain(`heads: those not newer than the copy, from the folder ${headsDir(place)}\n`);
  expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('monday'))).toEqual(['monday.db']);

  change({ ...place, db: copy }, `UPDATE tasks SET title = 'something else'`);
  expect(await colibri(place, ['verify', '--db', copy, '--copy'])).toMatchObject({ code: 20 });
  const { log } = json(await colibri(place, ['checkpoint', '--json']));
  fs.rmSync(join(headsDir(place), log), { recursive: true });
  expect(json(await colibri(place, ['verify', '--copy', '--json']))).toMatchObject({
    exit: 10,
    missing: [{ kind: 'no head' }],
  });
  expect(await colibri(place, ['verify', '--copy', '--task', 'T-0001'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--task does not go with --copy'),
  });
});

test('a client that kept its receipts is a witness: a call that was cut off shows', async () => {
  const { place, receipts } = await usedStore();
  const copy = copyStore(place);
  const heads = fs.readdirSync(join(headsDir(place), receipts[0]?.log ?? ''));
  const { value } = await useMore(place);
  const forms = {
    'answers.jsonl': value.map((answer) => JSON.stringify(answer)).join('\n'),
    'results.json': JSON.stringify(value.map((answer) => answer.result)),
    'receipts.json': JSON.stringify([...receipts, ...value.map(receiptOf)]),
  };
  for (const [name, text] of Object.entries(forms)) fs.writeFileSync(join(place.dir, name), text);
  for (const name of Object.keys(forms)) {
    expect(await colibri(place, ['verify', '--receipts', join(place.dir, name)]), name).toMatchObject({ code: 0 });
  }
  // Store and heads go back together: nobody but the client knows.
  replaceStore(place, copy);
  for (const head of headFiles(place, receipts[0]?.log ?? ''))
    if (!heads.includes(head.split('/').at(-1) ?? '')) fs.rmSync(head);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  for (const name of Object.keys(forms)) {
    const ran = await colibri(place, ['verify', '--receipts', join(place.dir, name)]);
    expect(ran, name).toMatchObject({ code: 20, stdout: expect.stringMatching(/receipt .*is not there/) });
  }
  fs.writeFileSync(join(place.dir, 'bad.json'), '[{"log":"x"}]');
  expect(await colibri(place, ['verify', '--receipts', join(place.dir, 'bad.json')])).toMatchObject({ code: 30 });
});
