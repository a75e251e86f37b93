// docs/postgres.md as a new user would follow it, on a server of its own with TLS: roles, tables, rights, two machines. Then each role is tried.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { askServer, installedPostgres, runProgram, startCluster, stopCluster } from '../support/postgres.js';
import { freshPlace, type Place, serve } from '../support/serve.js';

const DOC = fs.readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
const blockOf = (name: string): string =>
  new RegExp(`\`\`\`sql ${name}\n([\\s\\S]*?)\`\`\``).exec(DOC)?.[1] ?? 'no such block';
const PASSWORDS = { owner: 'change me 1', app: 'change me 2', keeper: 'change me 3', reader: 'change me 4' } as const;
type Role = keyof typeof PASSWORDS;

const bin = installedPostgres();
const runs = describe.skipIf(bin === undefined);

runs('docs/postgres.md', () => {
  let server: ReturnType<typeof startCluster>;
  let certificate: string;
  const finished: (() => Promise<void>)[] = [];
  const later = (clean: () => Promise<void>): void => void finished.push(clean);

  const urlOf = (role: Role, options = ''): string => {
    const url = new URL(server.url('colibri'));
    url.username = `colibri_${role}`;
    url.password = encodeURIComponent(PASSWORDS[role]);
    return `${url.href}${options}`;
  };
  /** A machine: a state directory of its own. `file`: the address stands in a file, as the page says. */
  const machine = (role: Role, options = ''): Place => {
    const place = freshPlace(later);
    const { COLIBRI_DB_PATH: _, ...env } = place.env;
    const file = join(place.dir, 'address');
    fs.writeFileSync(file, `${urlOf(role, options)}\n`, { mode: 0o600 });
    return { ...place, env: { ...env, COLIBRI_DATABASE_URL_FILE: file } };
  };
  const call = async (place: Place, name: string, args: Record<string, unknown>): Promise<string> => {
    const peer = serve(place);
    await peer.initialize('test');
    const answer = await peer.request('tools/call', { name, arguments: args });
    await peer.end();
    return JSON.stringify(answer);
  };

  beforeAll(async () => {
    server = startCluster(bin ?? '');
    const { dir } = server.cluster;
    const folder = dirname(dir);
    const args = 'req -new -x509 -days 2 -nodes -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
    execFileSync(
      'openssl',
      [...args.split(' '), '-keyout', join(folder, 'server.key'), '-out', join(folder, 'server.crt')],
      { stdio: 'ignore' },
    );
    const { uid, gid } = fs.statSync(dir);
    for (const name of ['server.key', 'server.crt']) {
      fs.copyFileSync(join(folder, name), join(dir, name));
      fs.chownSync(join(dir, name), uid, gid);
      fs.chmodSync(join(dir, name), 0o600);
    }
    fs.appendFileSync(join(dir, 'postgresql.auto.conf'), 'ssl = on\n');
    fs.chmodSync(folder, 0o755);
    certificate = join(folder, 'server.crt');
    runProgram(bin ?? '', 'pg_ctl', ['-D', dir, '-w', '-m', 'fast', '-l', join(folder, 'log'), 'restart']);
    for (const statement of blockOf('roles')
      .split(';\n')
      .filter((text) => text.trim() !== ''))
      await askServer(server.url('postgres'), statement);
    await askServer(server.url('colibri'), blockOf('database'));
  }, 120_000);

  afterAll(async () => {
    for (const clean of finished) await clean();
    stopCluster(server.cluster);
  });

  test('a team of two machines, and what each role may do', { timeout: 300_000 }, async () => {
    const tls = `?sslmode=verify-full&sslrootcert=${certificate}`;
    // Without the owner there are no tables: phase 1, with the remedy.
    expect(await call(machine('app'), 'task_create', { title: 'early' })).toMatch(
      /STORE_UNAVAILABLE.*docs\/postgres\.md/,
    );
    const owner = machine('owner', tls);
    expect(await call(owner, 'task_list', {})).toContain('dev.colibri/receipt');
    await askServer(urlOf('owner'), blockOf('rights'));

    const [one, other] = [machine('app', tls), machine('app', tls)];
    expect(await call(one, 'task_create', { title: 'shared', claim_by: 'ann' })).toContain('T-0001');
    expect(await call(other, 'thought_record', { task_id: 'T-0001', type: 'plan', content: 'together' })).toContain(
      'thought_id',
    );
    expect(await call(other, 'task_next_actions', { claim_by: 'bob' })).toContain('receipt');
    const encrypted = await askServer(urlOf('app', tls), 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    expect(encrypted).toEqual([{ ssl: true }]);
    expect(await call(machine('app', '?sslmode=verify-full'), 'task_list', {})).toContain('STORE_UNAVAILABLE');

    for (const peer of [owner, other]) {
      const { vkey } = json(await colibri(peer, ['checkpoint', '--json']));
      expect(await colibri(one, ['nodes', 'accept', vkey])).toMatchObject({ code: 0 });
    }
    const verdict = await colibri(one, ['verify']);
    expect(verdict, verdict.stdout).toMatchObject({ code: 0 });

    for (const sql of [
      ...['actions', 'tiles', 'checkpoints', 'payloads', 'thoughts'].flatMap((table) => [
        `UPDATE ${table} SET log_id = log_id`,
        `DELETE FROM ${table}`,
      ]),
      ...[
        'TRUNCATE actions',
        'DELETE FROM tasks',
        'DELETE FROM logs',
        'UPDATE identity SET store_id = store_id',
        'CREATE TABLE mine (a int)',
        'ALTER TABLE actions DISABLE TRIGGER ALL',
      ],
    ])
      await expect(askServer(urlOf('app'), sql), sql).rejects.toMatchObject({ code: '42501' });

    const reader = machine('reader', tls);
    for (const line of ['status', 'log', 'tasks', 'tasks T-0001', 'nodes'])
      expect(await colibri(reader, line.split(' ')), line).toMatchObject({ code: 0 });
    expect(await colibri(reader, ['verify'])).toMatchObject({ code: 10 });
    expect(await colibri(reader, ['prune', '--before', new Date().toISOString(), '--yes'])).not.toMatchObject({
      code: 0,
    });
    expect(await call(reader, 'task_create', { title: 'no' })).toMatch(/STORE_UNAVAILABLE/);
    for (const table of ['actions', 'logs', 'tasks', 'leases', 'instances'])
      await expect(askServer(urlOf('reader'), `UPDATE ${table} SET log_id = log_id`), table).rejects.toMatchObject({
        code: '42501',
      });

    const [{ thought_id }] = (await askServer(urlOf('reader'), 'SELECT thought_id FROM thoughts')) as [
      { thought_id: string },
    ];
    const erase = ['erase', thought_id, '--reason', 'test', '--yes'];
    expect(await colibri(one, erase)).not.toMatchObject({ code: 0 });
    const keeper = { ...one, env: { ...one.env, COLIBRI_DATABASE_URL: urlOf('keeper', tls) } };
    const erased = await colibri(keeper, erase);
    expect(erased, erased.stderr).toMatchObject({ code: 0 });
    const pruned = await colibri(keeper, ['prune', '--before', new Date().toISOString(), '--yes']);
    expect(pruned, pruned.stderr).toMatchObject({ code: 0 });
    expect((await colibri(one, ['verify'])).code).toBe(0);
  });
});
