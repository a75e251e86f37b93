// Worse days of a team on PostgreSQL, each with real programs: a full disk under the server, and a replica that takes over and is behind.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { Ledger, type Receipt } from '../support/ledger-check.js';
import { askServer, noPostgres, runProgram } from '../support/postgres.js';
import { controlServer, copyToSqlite, nodeOn, type OwnServer, ownServer } from '../support/postgres-nodes.js';
import type { Place } from '../support/serve.js';
import { acknowledged, doctor, healed, opened, proxyTo, refused } from './postgres-bad-days.shared.js';

const run = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** A file system of so many bytes that the server's user may write to; undefined where this user may not mount one. */
const smallDisk = (server: OwnServer, mebibytes: number): string | undefined => {
  const dir = mkdtempSync(join(tmpdir(), 'colibri-small-disk-'));
  chmodSync(dir, 0o755);
  if (process.getuid?.() !== 0 || !run('mount', '-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'none', dir)) {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  onTestFinished(() => {
    run('umount', '-l', dir);
    rmSync(dir, { recursive: true });
  });
  const space = join(dir, 'space');
  mkdirSync(space);
  const { uid, gid } = statSync(server.data);
  chownSync(space, uid, gid);
  return space;
};

/** Takes all room that is left there. */
const fillUp = (folder: string): (() => void) => {
  const { bavail, bsize } = statfsSync(folder);
  const ballast = join(folder, '..', 'ballast');
  writeFileSync(ballast, Buffer.alloc(bavail * bsize));
  return () => rmSync(ballast);
};

const expectKept = async (place: Place, url: string, receipts: readonly Receipt[]): Promise<Ledger> => {
  const ledger = new Ledger(await copyToSqlite(url, join(place.dir, `copy-${crypto.randomUUID()}.db`)));
  for (const receipt of receipts) expect(ledger.pairOf(receipt).exit?.body.outcome).toBe('ok');
  return ledger;
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** A second server that follows the first, as replicas do. */
const replicaOf = (server: OwnServer) => {
  const dir = mkdtempSync('/tmp/colibri-pg-replica-');
  const { uid, gid } = statSync(server.data);
  chownSync(dir, uid, gid);
  const data = join(dir, 'data');
  const source = new URL(server.url('postgres'));
  runProgram(server.bin, 'pg_basebackup', ['-d', source.href, '-D', data, '-R', '-X', 'stream', '-c', 'fast']);
  const port = server.port + 1;
  writeFileSync(join(data, 'postgresql.auto.conf'), `port = ${port}\nunix_socket_directories = '${dir}'\n`, {
    flag: 'a',
  });
  const control = (...args: string[]): void => controlServer(server.bin, data, ...args);
  onTestFinished(() => {
    try {
      control('-m', 'immediate', 'stop');
    } catch {} // it does not run
    rmSync(dir, { recursive: true, force: true });
  });
  const url = Object.assign(new URL(source), { port: String(port) }).href;
  return { url, port, control };
};

describe.skipIf(noPostgres())('a worse day on PostgreSQL', () => {
  test('the disk of the server is full: calls are refused with that reason, and go on when there is room', async () => {
    const server = ownServer();
    const space = smallDisk(server, 32);
    if (space === undefined)
      return say('NOT TRIED: a full disk under PostgreSQL needs the right to mount a file system');
    await askServer(server.url('postgres'), `CREATE TABLESPACE small LOCATION '${space}'`);
    await askServer(server.url('postgres'), 'CREATE DATABASE work TABLESPACE small');
    const url = server.url('work');
    const place = nodeOn(url);
    const peer = await opened(place);
    const before = await acknowledged(peer, 'task_create', { title: 'before', description: 'x'.repeat(10_000) });
    const free = fillUp(space);

    const kept = [before.receipt];
    let full: { code: string; message: string } | undefined;
    for (let n = 0; n < 500 && full === undefined; n++) {
      const answer = await peer.call('task_create', {
        title: `more ${n}`,
        description: crypto.randomUUID().repeat(400),
      });
      const receipt = answer.result._meta?.['dev.colibri/receipt'];
      if (answer.result.structuredContent.ok === true && receipt !== undefined) kept.push(receipt);
      else full = answer.result.structuredContent.error;
    }
    expect(full?.message).toMatch(/disk of the database server is full/);
    expect((await peer.call('server_ping')).result.structuredContent.ok).toBe(true);
    const { error } = await refused(peer, 'thought_record', { type: 'plan', content: 'y'.repeat(30_000) });
    expect(['STORE_FULL', 'AUDIT_ENTER_FAILED', 'AUDIT_EXIT_FAILED']).toContain(error.code);
    expect(error.message).toMatch(/disk of the database server is full/);
    expect(await doctor(place)).toMatch(/disk of the database server is full|STORE_FULL/);

    free();
    const after = await healed(peer, 'task_create', { title: 'after' }, 20_000);
    expect((await peer.end()).code).toBe(0);
    await expectKept(place, url, [...kept, after.receipt]);
    const { exit, findings } = json(await colibri(place, ['verify', '--json']));
    expect({ exit, findings }).toEqual({ exit: 0, findings: [] });
  }, 180_000);

  test('a replica takes over that is behind: a process that saw more appends nothing to it, and counts and names the loss', async () => {
    const server = ownServer();
    const replica = replicaOf(server);
    replica.control('start');
    const proxy = await proxyTo(server.url('postgres'));
    const place = nodeOn(proxy.urlFor(server.url('postgres')));
    const peer = await opened(place);
    await acknowledged(peer, 'task_create', { title: 'replicated' });
    const at = `SELECT pg_last_wal_replay_lsn() >= '${(await askServer(server.url('postgres'), 'SELECT pg_current_wal_lsn()::text AS at'))[0]?.at}'::pg_lsn AS is`;
    for (;;) {
      const [row] = await askServer(replica.url, at);
      if (row?.is === true) break;
      await sleep(50);
    }
    replica.control('-m', 'fast', 'stop'); // from here on it falls behind
    for (let n = 0; n < 5; n++) await acknowledged(peer, 'task_create', { title: `not replicated ${n}` });
    server.stop('immediate');
    replica.control('start');
    replica.control('promote');
    proxy.target = { host: '127.0.0.1', port: replica.port };

    const until = Date.now() + 30_000;
    let error = (await refused(peer, 'task_create', { title: 'on the replica' })).error;
    while (error.code !== 'STORE_ROLLED_BACK' && Date.now() < until) {
      await sleep(200);
      error = (await refused(peer, 'task_create', { title: 'on the replica' })).error;
    }
    expect(error.code).toBe('STORE_ROLLED_BACK');
    expect(error.message).toMatch(/\d+ records?/);
    await peer.end();
    expect(await askServer(replica.url, `SELECT 1 FROM tasks WHERE title = 'on the replica'`)).toEqual([]);
  }, 240_000);
});
