// What the store on PostgreSQL promises besides the port: one round trip for the records of a call, and what becomes of a process whose connections
// are cut, or that others took for dead.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startedWithTools } from '../ledger2/bad-days.shared.js';
import { receiptOf } from '../support/ledger-check.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { PostgresProxy } from '../support/postgres-proxy.js';
import { freshPlace, type Peer, serve } from '../support/serve.js';

const onServer = async () => {
  const place = freshPlace();
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const { COLIBRI_DB_PATH: _file, ...env } = place.env;
  return { place: { ...place, env: { ...env, COLIBRI_DATABASE_URL: url } }, url };
};

const opened = async (place: Parameters<typeof serve>[0]): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

const one = async (url: string, sql: string): Promise<Record<string, unknown>> => (await askServer(url, sql))[0] ?? {};

const CUT =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'colibri' AND datname = current_database()";

describe.skipIf(noPostgres())('the store on PostgreSQL', () => {
  it('sends the records of a call in one statement', async () => {
    const { place, url } = await onServer();
    const transactions = async (calls: number): Promise<number> => {
      const count = async () => {
        await sleep(1_500); // sessions report what they did a moment after their end
        const row = await one(
          url,
          'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
        );
        return Number(row.n);
      };
      const before = await count();
      const peer = await opened(place);
      for (let n = 0; n < calls; n += 1) expect((await peer.call('server_ping')).result.isError).not.toBe(true);
      await peer.end();
      return (await count()) - before;
    };
    await transactions(0); // makes the tables
    const idle = await transactions(0);
    const busy = await transactions(200);
    expect(busy - idle).toBeGreaterThanOrEqual(200);
    expect(busy - idle).toBeLessThan(220);
  });

  it('sends the intent of a call that lasts in one statement, and its outcome in another', async () => {
    const { place, url } = await onServer();
    const { hostname: host, port } = new URL(url);
    const proxy = await PostgresProxy.before({ host, port: Number(port || 5432) });
    onTestFinished(() => proxy.close());
    const peer = await startedWithTools(place, { COLIBRI_DATABASE_URL: proxy.urlFor(url) });
    expect(receiptOf(await peer.call('sleep_open', { ms: 100 }))).toBeDefined(); // the types of the columns are asked for once
    await sleep(1_000); // late records of the start, and what the process looks at then
    const sent: string[][] = [];
    proxy.rule = ({ texts }) => {
      sent.push([...texts]);
      return 'pass';
    };
    expect(receiptOf(await peer.call('sleep_open', { ms: 300 }))).toBeDefined();
    proxy.rule = () => 'pass';
    await peer.end();
    expect(sent.map((texts) => texts.map((text) => text.slice(0, 27)))).toEqual([
      ['WITH guard AS (UPDATE logs '],
      ['WITH guard AS (UPDATE logs '],
    ]);
    const kinds = await askServer(url, "SELECT kind FROM actions WHERE tool = 'sleep_open' ORDER BY id");
    const pair = ['call.enter', 'call.exit'];
    expect(kinds.map(({ kind }) => kind)).toEqual([...pair, ...pair]);
  });

  it('goes on after its connections were cut, and keeps its place', async () => {
    const { place, url } = await onServer();
    const peer = await opened(place);
    for (let n = 0; n < 5; n += 1) {
      expect((await peer.call('task_create', { title: `task ${n}` })).result.isError).not.toBe(true);
      await askServer(url, CUT);
    }
    expect((await peer.call('task_list', {})).result.structuredContent.data.tasks).toHaveLength(5);
    await peer.end();
    const { boots, open } = await one(
      url,
      "SELECT count(*) FILTER (WHERE kind = 'boot') AS boots, (SELECT count(*) FROM instances) AS open FROM actions",
    );
    expect({ boots: Number(boots), open: Number(open) }).toEqual({ boots: 1, open: 0 });
  });

  it('begins anew when others took it for dead: calls under way get no receipt, later ones do', async () => {
    const { place, url } = await onServer();
    const peer = await opened(place);
    expect((await peer.call('task_create', { title: 'before' })).result.isError).not.toBe(true);
    // What another process of this node does once the lock is free.
    await askServer(url, 'DELETE FROM instances');
    const fenced = await peer.call('server_ping');
    expect(receiptOf(fenced)).toBeUndefined();
    await peer.until(() => (peer.stderr.match(/store open after/g) ?? []).length === 2);
    const after = await peer.call('task_create', { title: 'after' });
    expect(after.result.isError).not.toBe(true);
    expect(receiptOf(after)).toBeDefined();
    await peer.end();
    const kinds = await askServer(url, "SELECT kind FROM actions WHERE kind IN ('boot', 'shutdown') ORDER BY id");
    expect(kinds.map(({ kind }) => kind)).toEqual(['boot', 'boot', 'shutdown']);
  });
});
