// What may stand between a machine and its database server: a pooler that shares sessions, and a clock that is wrong.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { copyToSqlite, nodeOn, ownServer } from '../support/postgres-nodes.js';
import { type Place, serve } from '../support/serve.js';
import { TransactionPooler } from '../support/transaction-pooler.js';
import { acknowledged, opened, refused } from './postgres-bad-days.shared.js';

const OTHER_CLOCK = fileURLToPath(new URL('../children/other-clock.mjs', import.meta.url));
const TEN_MINUTES_MS = 600_000;
const POOLER = /pooler in transaction mode/;

/** A server that asks nobody for a password, behind a pooler. */
const behindPooler = async () => {
  const server = ownServer();
  writeFileSync(join(server.data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  server.stop();
  server.start();
  const pooler = await TransactionPooler.before(server.port);
  onTestFinished(() => pooler.close());
  const direct = server.url('postgres');
  const pooled = Object.assign(new URL(direct), { port: String(pooler.port) }).href;
  return { direct, pooled };
};

/** A machine whose clock is ahead, or behind. */
const clockApart = (url: string, wallMs: number): Place => {
  const place = nodeOn(url);
  const file = join(place.dir, 'clock.json');
  writeFileSync(file, JSON.stringify({ wallMs, monotonicMs: 0 }));
  return { ...place, env: { ...place.env, NODE_OPTIONS: `--import ${OTHER_CLOCK}`, TEST_CLOCK: file } };
};

describe.skipIf(noPostgres())('between a machine and its database server', () => {
  test('a pooler in transaction mode: the start, doctor and the commands say so, and nothing is written', async () => {
    const { direct, pooled } = await behindPooler();
    const place = nodeOn(pooled);
    const refusedBy = async (): Promise<void> => {
      const peer = serve(place);
      await peer.initialize();
      const { error } = await refused(peer, 'task_create', { title: 'through a pooler' });
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(POOLER) });
      expect((await peer.call('server_ping')).result.structuredContent.ok).toBe(true);
      expect(peer.stderr).toMatch(POOLER);
      await peer.end();
    };
    await refusedBy();
    expect((await colibri(place, ['doctor'])).stdout).toMatch(new RegExp(`^problem +server +a ${POOLER.source}`, 'm'));

    // With a store there, as another machine made it: the same.
    const peer = await opened(nodeOn(direct));
    await acknowledged(peer, 'task_create', { title: 'straight to the server' });
    await refusedBy();
    const told = await colibri(place, ['doctor']);
    expect(told.stdout).toMatch(new RegExp(`^problem +server +a ${POOLER.source}`, 'm'));
    expect(told.stdout).toMatch(/store +opens, schema \d+/);
    expect((await peer.end()).code).toBe(0);
    expect(await askServer(direct, 'SELECT title FROM tasks')).toEqual([{ title: 'straight to the server' }]);
    expect(await askServer(direct, 'SELECT log_id FROM logs')).toHaveLength(1);
    // A command either reads what is there, or names the pooler.
    for (const command of ['status', 'log', 'tasks', 'verify']) {
      const { code, stdout, stderr } = await colibri(place, [command]);
      if (code !== 0 && code !== 10) expect(stdout + stderr, command).toMatch(POOLER);
    }
  }, 180_000);

  test.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'a clock that is %i ms off: leases go by the server, records keep their order, doctor says it',
    async (offMs) => {
      const { url, drop } = await freshDatabase();
      onTestFinished(drop);
      const [right, wrong] = [nodeOn(url), clockApart(url, offMs)];
      const [here, there] = [await opened(right), await opened(wrong)];
      for (const title of ['one', 'two']) await acknowledged(here, 'task_create', { title });
      const ofBoth = { here: { peer: here, claim_by: 'ann' }, there: { peer: there, claim_by: 'bob' } };
      const claim = async (who: keyof typeof ofBoth) => {
        const { peer, claim_by } = ofBoth[who];
        return acknowledged(peer, 'task_next_actions', { claim_by, lease_minutes: 5 });
      };
      const claims = { here: await claim('here'), there: await claim('there') };
      const tasks = Object.values(claims).map(({ data }) => data.actions[0].task.task_id);
      expect(tasks.sort()).toEqual(['T-0001', 'T-0002']);
      // Neither takes the other's lease for over, though five minutes are over on one of their clocks.
      for (const peer of [here, there]) {
        const none = await acknowledged(peer, 'task_next_actions', { claim_by: 'eve' });
        expect(none.data.actions).toEqual([]);
      }
      const until = await askServer(url, 'SELECT until FROM leases');
      for (const lease of until) {
        const left = Date.parse(String(lease.until)) - Date.now();
        expect(left).toBeGreaterThan(4 * 60_000);
        expect(left).toBeLessThanOrEqual(5 * 60_000 + 5_000);
      }
      const { data } = claims.there;
      const [{ task, lease_token }] = data.actions;
      const step = { task_id: task.task_id, status: 'GATHER', lease_token };
      await acknowledged(there, 'task_update', step);

      expect((await colibri(wrong, ['doctor'])).stdout).toMatch(
        new RegExp(`^warning +server +its clock is 10 min.* ${offMs < 0 ? 'ahead of' : 'behind'} this one`, 'm'),
      );
      expect((await colibri(right, ['doctor'])).stdout).toContain('its clock and this one agree');
      for (const peer of [here, there]) expect((await peer.end()).code).toBe(0);
      const ledger = new Ledger(await copyToSqlite(url, join(right.dir, 'copy.db')));
      expect(ledger.logs).toHaveLength(2);
      for (const place of [right, wrong]) {
        const { exit, findings } = json(await colibri(place, ['verify', '--json']));
        expect({ findings, exit: [0, 10].includes(exit) }).toEqual({ findings: [], exit: true });
      }
    },
    180_000,
  );
});
