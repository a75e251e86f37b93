// docs/postgres.md as a new user would follow it, on a server of its own with TLS: roles, tables, rights, two machines. Then each role is tried.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { askServer, installedPostgres, startCluster, stopCluster } from '../support/postgres.js';
import { randomFrom } from '../support/random.js';
import { freshPlace, MAIN, type Place, serve } from '../support/serve.js';
import { work } from '../tamper/traffic.js';

const DOC = fs.readFileSync(new URL('../../docs/postgres.md', import.meta.url), 'utf8');
const blockOf = (name: string): string => {
  const block = new RegExp(`\`\`\`${name}\n([\\s\\S]*?)\`\`\``).exec(DOC)?.[1];
  if (block === undefined) throw new Error(`docs/postgres.md has no block ${name}`);
  return block;
};
const PASSWORDS = { owner: 'change me 1', app: 'change me 2', keeper: 'change me 3', reader: 'change me 4' } as const;
type Role = keyof typeof PASSWORDS;
const SEALED = ['actions', 'tiles', 'checkpoints', 'payloads', 'thoughts'];
/** What docs/postgres.md says that a reader may run, besides `verify`. */
const READING = [
  ...['status', 'log', 'tasks', 'tasks T-0001', 'nodes', 'export', 'doctor', 'page', 'report T-0001 --md'],
  ...['approvals', 'voters list'],
];
const REFUSED = { code: '42501' };

const bin = installedPostgres();
const runs = describe.skipIf(bin === undefined);

runs('docs/postgres.md', () => {
  let server: ReturnType<typeof startCluster>;
  const finished: (() => Promise<void>)[] = [];
  const later = (clean: () => Promise<void>): void => void finished.push(clean);
  const certificate = (): string => join(dirname(server.cluster.dir), 'server.crt');

  /** A block for this server: the page's names of the machine and of the certificate are examples. */
  const here = (name: string): string =>
    blockOf(name)
      .replaceAll('db.example:5432', `127.0.0.1:${new URL(server.url('')).port}`)
      .replaceAll('DNS:db.example', 'IP:127.0.0.1')
      .replaceAll('db.example', '127.0.0.1')
      .replaceAll('/etc/ssl/team-ca.crt', certificate());
  /** Runs a block of a shell. `asServer`: as the server's user, who may connect as a superuser. A person's yes is `--yes`. */
  const shell = (name: string, env: Record<string, string | undefined>, asServer = false, cwd = '/'): string => {
    const { uid, gid } = fs.statSync(server.cluster.dir);
    const user = asServer && process.getuid?.() === 0 ? { uid, gid } : {};
    const script = ['set -euo pipefail', here(name).replace(/^(colibri init.*?)( #.*)?$/gm, '$1 --yes')].join('\n');
    const ran = spawnSync('bash', ['-c', script], { ...user, cwd, env, encoding: 'utf8' });
    expect(ran, `${name}: ${ran.stdout}${ran.stderr}`).toMatchObject({ status: 0 });
    return ran.stdout;
  };
  const asSuperuser = (): Record<string, string | undefined> => {
    const { port, username, password } = new URL(server.url(''));
    return { PATH: process.env.PATH, PGHOST: '127.0.0.1', PGPORT: port, PGUSER: username, PGPASSWORD: password };
  };
  const psql = (name: string, database: string): void => {
    const args = ['-v', 'ON_ERROR_STOP=1', '-q', '-d', database, '-c', 'SELECT 1', '-f', '-'];
    const ran = spawnSync('psql', args, { env: asSuperuser(), input: here(name), encoding: 'utf8' });
    expect(ran, `${name}: ${ran.stderr}`).toMatchObject({ status: 0 });
  };

  const urlOf = (role: Role, options = `?sslmode=verify-full&sslrootcert=${certificate()}`): string => {
    const url = new URL(server.url('colibri'));
    url.username = `colibri_${role}`;
    url.password = encodeURIComponent(PASSWORDS[role]);
    return `${url.href}${options}`;
  };
  /** A machine: a state directory of its own, with the command `colibri` and an address in a file. */
  const machine = (role: Role, options?: string): Place => {
    const place = freshPlace(later);
    const { COLIBRI_DB_PATH: _, ...env } = place.env;
    const programs = join(place.dir, 'bin');
    fs.mkdirSync(programs);
    fs.writeFileSync(join(programs, 'colibri'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, {
      mode: 0o755,
    });
    const file = join(place.dir, 'address');
    fs.writeFileSync(file, `${urlOf(role, options)}\n`, { mode: 0o600 });
    return { ...place, env: { ...env, PATH: `${programs}:${env.PATH}`, COLIBRI_DATABASE_URL_FILE: file } };
  };
  const call = async (place: Place, name: string, args: Record<string, unknown>): Promise<string> => {
    const peer = serve(place);
    await peer.initialize('test');
    const answer = await peer.request('tools/call', { name, arguments: args });
    await peer.end();
    return JSON.stringify(answer);
  };

  /** What `doctor` and `status` say. */
  const said = async (place: Place): Promise<string[]> => {
    const told: string[] = [];
    for (const command of ['doctor', 'status']) told.push((await colibri(place, [command])).stdout);
    return told;
  };

  beforeAll(() => {
    server = startCluster(bin ?? '');
    const { dir } = server.cluster;
    shell('sh certificate', asSuperuser(), true);
    psql('sql encryption', 'postgres');
    const rules = join(dir, 'pg_hba.conf');
    fs.writeFileSync(rules, here('text pg_hba.conf') + fs.readFileSync(rules, 'utf8'));
    const folder = dirname(dir);
    fs.chmodSync(folder, 0o755);
    fs.copyFileSync(join(dir, 'server.crt'), certificate());
    const reload = spawnSync('psql', ['-d', 'postgres', '-c', 'SELECT pg_reload_conf()'], { env: asSuperuser() });
    expect(reload.status).toBe(0);
    psql('sql roles', 'postgres');
    psql('sql database', 'colibri');
  }, 120_000);

  afterAll(async () => {
    for (const clean of finished) await clean();
    stopCluster(server.cluster);
  });

  test('as the page says: a team of two machines in a few minutes', { timeout: 300_000 }, async () => {
    // Without the owner there are no tables: phase 1, with the remedy.
    expect(await call(machine('app'), 'task_create', { title: 'early' })).toMatch(
      /STORE_UNAVAILABLE.*docs\/postgres\.md/,
    );
    expect((await colibri(machine('reader'), ['status'])).stderr).toMatch(/no store yet.*docs\/postgres\.md/s);
    const { COLIBRI_DATABASE_URL_FILE: _, ...bare } = machine('owner').env;
    shell('sh tables', bare);
    psql('sql rights', 'colibri');

    const [one, other] = [machine('app'), machine('app')];
    for (const { env } of [one, other]) {
      const { COLIBRI_DATABASE_URL_FILE: _, ...fresh } = env;
      const told = shell('sh machine', fresh);
      expect(told).toMatch(/the role colibri_app may serve$/m);
      expect(told).toMatch(/^0 problems/m);
      expect(told).not.toContain('change');
    }
    expect(await call(one, 'task_create', { title: 'shared', claim_by: 'ann' })).toContain('T-0001');
    expect(await call(other, 'thought_record', { task_id: 'T-0001', type: 'plan', content: 'together' })).toContain(
      'thought_id',
    );
    expect(await call(other, 'task_next_actions', { claim_by: 'bob' })).toContain('receipt');
    const encrypted = await askServer(urlOf('app'), 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    expect(encrypted).toEqual([{ ssl: true }]);
    // Neither without encryption, nor with a certificate that nobody here trusts.
    for (const options of ['', '?sslmode=verify-full'])
      expect(await call(machine('app', options), 'task_list', {})).toContain('STORE_UNAVAILABLE');

    const nodes = json(await colibri(one, ['nodes', '--json'])).nodes as { vkey: string; own: boolean }[];
    expect(nodes).toHaveLength(3); // the owner's too
    expect((await colibri(one, ['verify'])).code).toBe(10);
    for (const { vkey, own } of nodes)
      if (!own) expect(await colibri(one, ['nodes', 'accept', vkey])).toMatchObject({ code: 0 });
    const verdict = await colibri(one, ['verify']);
    expect(verdict, verdict.stdout).toMatchObject({ code: 0 });

    // Everything that serving does, with the rights of the application.
    const peer = serve(one, { env: { COLIBRI_TOOLSETS: 'reputation,consensus' } });
    await peer.initialize('test');
    await peer.phase2(20_000);
    await work(peer, randomFrom(11), 80);
    expect((await peer.end()).code).toBe(0);
    expect(peer.stderr).not.toMatch(/42501|lacks a right/);
    expect(await colibri(one, ['verify'])).toMatchObject({ code: 0 });
  });

  test('machines whose clones have one id share their tasks', { timeout: 300_000 }, async () => {
    const places = [machine('app'), machine('app'), machine('app')] as const;
    const origin = join(places[0].dir, 'origin.git');
    const git = (cwd: string, ...args: string[]): void => {
      expect(spawnSync('git', args, { cwd, encoding: 'utf8' })).toMatchObject({ status: 0 });
    };
    git(places[0].dir, 'init', '-q', '--bare', '-b', 'main', origin);
    const clones = places.map(({ dir }) => {
      const clone = join(dir, 'shop');
      fs.mkdirSync(join(dir, 'home', '.cursor')); // a client, as init finds it
      git(dir, 'clone', '-q', origin, clone);
      for (const [key, value] of Object.entries({ name: 'Ann', email: 'ann@example.com' }))
        git(clone, 'config', `user.${key}`, value);
      git(clone, 'checkout', '-q', '-B', 'main');
      git(clone, 'config', 'branch.main.remote', 'origin');
      git(clone, 'config', 'branch.main.merge', 'refs/heads/main');
      return clone;
    });
    const inClone = (n: 0 | 1 | 2): Place => {
      const env: Record<string, string> = { ...places[n].env, PWD: clones[n] ?? '' };
      return { ...places[n], env: { ...env, COLIBRI_PROJECT_DIR: clones[n] ?? '' } };
    };
    const run = (name: string, n: 0 | 1 | 2): string => shell(name, places[n].env, false, clones[n]);
    // The third machine did not wait for the first: it has an id of its own, and is told so.
    spawnSync('bash', ['-c', 'colibri init --yes'], { cwd: clones[2], env: places[2].env });
    run('sh project', 0);
    const title = 'for every machine';
    expect(await call(inClone(0), 'task_create', { title })).toContain('T-');
    const note = /Another project shop, with the id [0-9a-f]{32} .*colibri init --join/s;
    const alone = await colibri(inClone(2), ['tasks']);
    expect(alone.stdout).not.toContain(title);
    for (const told of [alone.stderr, ...(await said(inClone(2)))]) expect(told.replace(/\s+/g, ' ')).toMatch(note);
    run('sh clone', 1);
    run('sh join', 2);
    for (const n of [1, 2] as const) {
      expect(await call(inClone(n), 'task_list', {})).toContain(title);
      expect((await colibri(inClone(n), ['tasks'])).stdout).toContain(title);
      for (const told of await said(inClone(n))) expect(told.replace(/\s+/g, ' ')).not.toMatch(note);
    }
  });

  test('what is wrong with the encryption is said', { timeout: 120_000 }, async () => {
    const folder = machine('reader').dir;
    const other = join(folder, 'other.crt');
    const making = ['req', '-new', '-x509', '-nodes', '-subj', '/CN=127.0.0.1', '-keyout', 'other.key', '-out', other];
    expect(spawnSync('openssl', making, { cwd: folder })).toMatchObject({ status: 0 });
    const good = `sslmode=verify-full&sslrootcert=${certificate()}`;
    for (const [options, said] of [
      ['?sslmode=verify-full', /not one that is trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/],
      [`?sslmode=verify-full&sslrootcert=${other}`, /not one that is trusted here/],
      [`?sslmode=verify-full&sslrootcert=${folder}/none.crt`, /cannot be read: .*none\.crt \(ENOENT\)/],
      [`?sslmode=verify-full&sslrootcert=${folder}`, /sslrootcert, sslcert or sslkey cannot be read.*EISDIR/],
      [`?${good}&sslcert=${folder}/none.crt`, /cannot be read: .*none\.crt/],
      ['', /refused the login \(28000\).*sslmode=verify-full/s],
    ] as const) {
      const { stdout } = await colibri(machine('app', options), ['doctor']);
      expect(stdout.replace(/\s+/g, ' '), options).toMatch(said);
      expect(stdout, options).not.toContain('cannot be reached');
    }
    const byName = { ...machine('app'), env: { ...machine('app').env } };
    const url = urlOf('app').replace('127.0.0.1', 'localhost');
    fs.writeFileSync(byName.env.COLIBRI_DATABASE_URL_FILE ?? '', url, { mode: 0o600 });
    expect((await colibri(byName, ['status'])).stderr).toMatch(/for another name than the one in the address/);
  });

  test('each role is refused what it may not do, on every table', { timeout: 120_000 }, async () => {
    const tables = (
      await askServer(urlOf('owner'), "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
    ).map(({ tablename }) => String(tablename));
    expect(tables).toEqual(expect.arrayContaining(SEALED));
    const granted = (role: Role, right: string): string[] =>
      [...blockOf('sql rights').matchAll(new RegExp(`^GRANT ${right} ON (.+) TO colibri_${role};$`, 'gm'))].flatMap(
        (grant) => (grant[1] ?? '').split(', '),
      );
    for (const right of ['UPDATE', 'DELETE'])
      expect(granted('app', right).filter((table) => SEALED.includes(table))).toEqual([]);
    const columns = await askServer(
      urlOf('owner'),
      "SELECT DISTINCT ON (table_name) table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position",
    );
    const columnOf = new Map(columns.map((row) => [row.table_name, row.column_name]));
    const statements = (table: string) => ({
      INSERT: `INSERT INTO ${table} SELECT * FROM ${table} WHERE false`,
      UPDATE: `UPDATE ${table} SET ${columnOf.get(table)} = ${columnOf.get(table)} WHERE false`,
      DELETE: `DELETE FROM ${table} WHERE false`,
      TRUNCATE: `TRUNCATE ${table}`,
      ALTER: `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      DROP: `DROP TABLE ${table}`,
    });
    const may: Readonly<Record<'app' | 'keeper' | 'reader', (right: string, table: string) => boolean>> = {
      app: (right, table) => (right === 'INSERT' ? table !== 'identity' : granted('app', right).includes(table)),
      keeper: (right, table) => may.app(right, table) || granted('keeper', right).includes(table),
      reader: () => false,
    };
    const wrong: string[] = [];
    for (const role of ['app', 'keeper', 'reader'] as const)
      for (const table of tables)
        for (const [right, sql] of Object.entries(statements(table))) {
          const code = await askServer(urlOf(role), sql).then(
            () => 'done',
            (thrown: { code?: string }) => thrown.code,
          );
          if (code !== (may[role](right, table) ? 'done' : '42501')) wrong.push(`${role}: ${sql}: ${code}`);
        }
    expect(wrong).toEqual([]);
    for (const role of ['app', 'keeper', 'reader'] as const)
      for (const sql of ['CREATE TABLE mine (a int)', 'CREATE SCHEMA mine', "COMMENT ON TABLE identity IS 'x'"])
        await expect(askServer(urlOf(role), sql), `${role}: ${sql}`).rejects.toMatchObject(REFUSED);
  });

  test('the reader reads, the keeper erases', { timeout: 120_000 }, async () => {
    const [one, reader] = [machine('app'), machine('reader')];
    await call(one, 'server_ping', {});
    for (const line of READING) expect(await colibri(reader, line.split(' ')), line).toMatchObject({ code: 0 });
    const { exit, findings } = json(await colibri(reader, ['verify', '--json']));
    expect({ exit, findings }).toEqual({ exit: 10, findings: [] });
    expect(await call(reader, 'task_create', { title: 'no' })).toMatch(/STORE_UNAVAILABLE.*COLIBRI_MODE=READONLY/);
    const before = new Date().toISOString();
    const [{ thought_id }] = (await askServer(urlOf('reader'), 'SELECT thought_id FROM thoughts')) as [
      { thought_id: string },
    ];
    const erase = ['erase', thought_id, '--reason', 'test', '--yes'];
    const prune = ['prune', '--before', before, '--yes'];
    const noLog = /no open log.*on a machine that serves/s;
    const keeperOnly = /Nothing was taken out: .*42501: permission denied for table.*address of the keeper/s;
    for (const [place, line, said] of [
      [reader, prune, noLog],
      [reader, erase, noLog],
      [reader, ['checkpoint'], noLog],
      [one, erase, keeperOnly],
      [one, prune, keeperOnly],
    ] as const) {
      const { code, stderr } = await colibri(place, [...line]);
      expect({ code, stderr }, line[0]).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
      expect(stderr).not.toContain('colibri serve');
    }
    const { stdout: doctor } = await colibri(reader, ['doctor']);
    expect(doctor.replace(/\s+/g, ' ')).toMatch(
      /cannot serve: it lacks INSERT on .* → It is enough for reading \(COLIBRI_MODE=READONLY\)/,
    );
    expect(doctor).toContain('this role writes nothing');
    expect(doctor).toMatch(/^0 problems/m);
    const readOnly = { ...reader, env: { ...reader.env, COLIBRI_MODE: 'READONLY' } };
    expect(await call(readOnly, 'task_list', {})).toContain('T-0001');
    const keeper = { ...one, env: { ...one.env, COLIBRI_DATABASE_URL: urlOf('keeper') } };
    for (const line of [erase, prune]) {
      const done = await colibri(keeper, line);
      expect(done, done.stderr).toMatchObject({ code: 0 });
    }
    expect(json(await colibri(one, ['verify', '--json'])).findings).toEqual([]);
  });
});
