// The bad days of a team on PostgreSQL, each with a real server: what a call is answered then, and that nothing that was acknowledged
// and kept by the server is lost.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Ledger, type Receipt } from '../support/ledger-check.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { copyToSqlite, nodeOn, ownServer } from '../support/postgres-nodes.js';
import { type Place, serve } from '../support/serve.js';
import { acknowledged, expectNoPassword, healed, opened, proxyTo, refused } from './postgres-bad-days.shared.js';

const child = (name: string): string => fileURLToPath(new URL(`../children/${name}.mjs`, import.meta.url));

const database = async (): Promise<string> => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  return url;
};

const expectKept = async (place: Place, url: string, receipts: readonly Receipt[]): Promise<Ledger> => {
  const ledger = new Ledger(await copyToSqlite(url, join(place.dir, `copy-${crypto.randomUUID()}.db`)));
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
  return ledger;
};

const SAYS_UNREACHABLE = /^the database server (cannot be reached|is stopping or starting)|connection/;
const HEALS_WITHIN_MS = 15_000;

describe.skipIf(noPostgres())('a bad day on PostgreSQL', () => {
  test('the server is stopped and started: calls are refused with a time to try again, then go on by themselves', async () => {
    const server = ownServer();
    const url = server.url('postgres');
    const place = nodeOn(url);
    const peer = await opened(place);
    const before = await acknowledged(peer, 'task_create', { title: 'before' });

    server.stop();
    const { error, ms } = await refused(peer, 'task_create', { title: 'while it is gone' });
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { retry_after_ms: expect.any(Number) } });
    expect(error.message).toMatch(SAYS_UNREACHABLE);
    expect(ms).toBeLessThan(30_000);
    const ping = await peer.call('server_ping');
    expect(ping.result.structuredContent.ok).toBe(true);

    server.start();
    const after = await healed(peer, 'task_create', { title: 'after' }, HEALS_WITHIN_MS);
    const { data } = await acknowledged(peer, 'task_list');
    expect(data.tasks.map(({ title }: { title: string }) => title).sort()).toEqual(['after', 'before']);
    expect((await peer.end()).code).toBe(0);
    const ledger = await expectKept(place, url, [before.receipt, after.receipt]);
    expect(ledger.logs).toHaveLength(1);
    expectNoPassword(url, peer.stderr, peer.lines.join('\n'), JSON.stringify(ledger.records));
  });

  test('the server crashes under calls: each is answered, and what was acknowledged is there', async () => {
    const server = ownServer();
    const url = server.url('postgres');
    const place = nodeOn(url);
    const peer = await opened(place);
    const calls = Array.from({ length: 40 }, (_, n) => peer.call('task_create', { title: `task ${n}` }, 90_000));
    await Promise.race(calls);
    server.stop('immediate');
    await sleep(500);
    server.start();
    const answers = await Promise.all(calls);
    await healed(peer, 'task_create', { title: 'after' }, HEALS_WITHIN_MS);
    const done = answers.filter((answer) => answer.result.structuredContent.ok === true);
    const receipts = done.map((answer) => answer.result._meta['dev.colibri/receipt']);
    expect((await peer.end()).code).toBe(0);
    await expectKept(place, url, receipts);
    const tasks = await askServer(url, `SELECT title FROM tasks WHERE title LIKE 'task %'`);
    expect(tasks).toHaveLength(done.length);
  });

  test('a slow server: calls take longer, and nothing else', async () => {
    const url = await database();
    const proxy = await proxyTo(url);
    const place = nodeOn(proxy.urlFor(url));
    const peer = await opened(place);
    proxy.delayMs = 100;
    const receipts: Receipt[] = [];
    for (let n = 0; n < 3; n++)
      receipts.push((await acknowledged(peer, 'task_create', { title: `slow ${n}` })).receipt);
    proxy.delayMs = 0;
    expect((await peer.end()).code).toBe(0);
    await expectKept(place, url, receipts);
  });

  test('a server that stands still: calls are refused within a minute, and go on when it moves again', async () => {
    const url = await database();
    const proxy = await proxyTo(url);
    const place = nodeOn(proxy.urlFor(url));
    const peer = await opened(place);
    const { receipt } = await acknowledged(peer, 'task_create', { title: 'before' });
    proxy.freeze();
    const calls = [
      refused(peer, 'task_create', { title: 'meanwhile' }),
      refused(peer, 'task_create', { title: 'and again' }),
      refused(peer, 'task_list'),
    ];
    for (const { error, ms } of await Promise.all(calls)) {
      expect(error.code).toMatch(/^STORE_(UNAVAILABLE|BUSY)$/);
      expect(error.details.retry_after_ms).toBeGreaterThan(0);
      expect(ms).toBeLessThan(60_000);
    }
    expect((await peer.call('server_health')).result.structuredContent.ok).toBe(true);
    proxy.thaw();
    const after = await healed(peer, 'task_create', { title: 'after' }, HEALS_WITHIN_MS);
    expect((await peer.end()).code).toBe(0);
    await expectKept(place, url, [receipt, after.receipt]);
  }, 180_000);

  test('no connection left: a start says so and opens the store when there is one', async () => {
    const server = ownServer();
    const url = server.url('postgres');
    // The role that fills the server up is not allowed to take the places kept for administrators, and neither is Colibri's.
    await askServer(url, `CREATE ROLE guest LOGIN PASSWORD 'colibri-test-guest'`);
    await askServer(url, 'CREATE DATABASE work OWNER guest');
    await askServer(url, 'ALTER SYSTEM SET max_connections = 12');
    server.stop();
    server.start();
    const work = Object.assign(new URL(server.url('work')), { username: 'guest', password: 'colibri-test-guest' }).href;
    const guests = Array.from({ length: 9 }, () => new pg.Client({ connectionString: work }));
    for (const guest of guests) await guest.connect();
    const leave = async (): Promise<void> => {
      for (const guest of guests.splice(0)) await guest.end();
    };
    onTestFinished(leave);

    const place = nodeOn(work);
    const peer = serve(place);
    await peer.initialize();
    const { error } = await refused(peer, 'task_create', { title: 'no place' });
    expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(error.message).toMatch(/no connection/);
    expect(JSON.stringify(error)).toMatch(/max_connections/);
    await leave();
    await healed(peer, 'task_create', { title: 'a place' }, 40_000);
    expect((await peer.end()).code).toBe(0);
  }, 120_000);

  test('two nodes with the same names of machine and user have a log each', async () => {
    const url = await database();
    const same = { NODE_OPTIONS: `--import ${child('other-host')}`, TEST_HOST: 'twin', TEST_USER: 'agent' };
    const [one, two] = [nodeOn(url, { env: same }), nodeOn(url, { env: same })];
    const peers = [await opened(one), await opened(two)];
    const receipts = await Promise.all(
      peers.flatMap((peer, n) =>
        Array.from({ length: 10 }, (_, k) => acknowledged(peer, 'task_create', { title: `${n} ${k}` })),
      ),
    );
    for (const peer of peers) expect((await peer.end()).code).toBe(0);
    // Again, so that each has to find its own log.
    for (const place of [one, two]) {
      const peer = await opened(place);
      await acknowledged(peer, 'server_ping');
      expect((await peer.end()).code).toBe(0);
    }
    const ledger = await expectKept(
      one,
      url,
      receipts.map(({ receipt }) => receipt),
    );
    expect(ledger.logs).toHaveLength(2);
    expect(ledger.logs.every(({ closed_at }) => closed_at === null)).toBe(true);
    expect(new Set(receipts.map(({ receipt }) => receipt.log)).size).toBe(2);
  });
});
