// Passwords with every character that could be taken for something else, given in each way there is: whatever happens, they are in no message,
// record, file of Colibri's, output or process list.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { copyToSqlite, nodeOn } from '../support/postgres-nodes.js';
import { filesBelow, type Place, serve } from '../support/serve.js';

/** Each has a part that nothing else contains. */
const PASSWORDS = [
  'Kestrel@host:5432/db?x=1#frag%41&y',
  `Kestrel'"\\$(id);\`tick\``,
  'Kestrel with  spaces+plus ü 世界',
  'Kestrel%40%2F%%',
  'postgres://Kestrel:inner@other/db',
];
const MARK = 'Kestrel';
const COMMANDS = ['doctor', 'status', 'verify', 'log'];

type Given = (url: URL, password: string) => { url: string; env?: Record<string, string> };
const WAYS: Readonly<Record<string, Given>> = {
  'in the address': (url, password) => {
    const given = new URL(url);
    given.password = encodeURIComponent(password);
    return { url: given.href };
  },
  'as a parameter': (url, password) => {
    const given = new URL(url);
    const { username } = given;
    given.username = '';
    given.password = '';
    given.search = `?user=${username}&password=${encodeURIComponent(password)}`;
    return { url: given.href };
  },
  'in PGPASSWORD': (url, password) => {
    const given = new URL(url);
    given.password = '';
    return { url: given.href, env: { PGPASSWORD: password } };
  },
};

const processList = (): string =>
  fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return ''; // it has ended
      }
    })
    .join('\n');

const roleWith = async (url: string, password: string): Promise<URL> => {
  const role = `r_${crypto.randomUUID().replaceAll('-', '')}`;
  await askServer(url, `CREATE ROLE ${role} LOGIN PASSWORD ${quoted(password)}; GRANT ALL ON SCHEMA public TO ${role}`);
  onTestFinished(async () => void (await askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)));
  const address = new URL(url);
  address.username = role;
  return address;
};

const quoted = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

/** Everything that a person or another program can read of what happened there. */
const tellsAll = async (place: Place, commands: readonly string[] = COMMANDS): Promise<string> => {
  const peer = serve(place);
  await peer.initialize();
  const answers = [
    await peer.call('task_create', { title: 'with a password' }),
    await peer.call('server_health'),
    await peer.call('audit_verify_chain'),
  ];
  const running = processList();
  await peer.end();
  const outputs: string[] = [];
  for (const command of commands) {
    const { stdout, stderr } = await colibri(place, [command]);
    outputs.push(stdout, stderr);
  }
  const files = filesBelow(place.dir).map((file) => fs.readFileSync(join(place.dir, file), 'latin1'));
  return [JSON.stringify(answers), running, peer.stderr, ...peer.lines, ...outputs, ...files].join('\n');
};

describe.skipIf(noPostgres())('a password', () => {
  test.each(Object.keys(WAYS))(
    '%s: right, wrong, and before a server that is away',
    async (way) => {
      for (const [n, password] of PASSWORDS.entries()) {
        const { url, drop } = await freshDatabase();
        onTestFinished(drop);
        const address = await roleWith(url, password);
        const given = WAYS[way]?.(address, password) ?? { url };
        const place = nodeOn(given.url, { env: given.env ?? {} });
        const told = await tellsAll(place, n === 0 ? COMMANDS : []);
        expect(told, password).toContain('T-0001');
        expect(told, password).not.toContain(MARK);
        const copy = fs.readFileSync(await copyToSqlite(url, join(place.dir, 'copy.db')), 'latin1');
        expect(copy).toContain('with a password');
        expect(copy, password).not.toContain(MARK);
        if (n > 0) continue;

        const wrong = WAYS[way]?.(address, `${password} no`) ?? { url };
        const refused = await tellsAll(nodeOn(wrong.url, { env: wrong.env ?? {} }));
        expect(refused, password).toMatch(/refused the login/);
        expect(refused, password).not.toContain(MARK);

        const away = new URL(given.url);
        away.port = '1';
        const gone = await tellsAll(nodeOn(away.href, { env: given.env ?? {} }));
        expect(gone, password).toMatch(/cannot be reached/);
        expect(gone, password).not.toContain(MARK);
      }
    },
    600_000,
  );

  test('an address in which the password is not escaped is refused without showing it', async () => {
    for (const password of ['Kestrel/slash', 'Kestrel?question', 'Kestrel#hash', 'Kestrel@at/db@x']) {
      const place = nodeOn(`postgres://ann:${password}@127.0.0.1:1/db`);
      const peer = serve(place);
      const { code } = await peer.ended;
      expect(code, password).toBe(1);
      expect(peer.stderr).toMatch(/COLIBRI_DATABASE_URL/);
      expect(peer.stderr).not.toContain(MARK);
      for (const command of ['doctor', 'status']) {
        const { stdout, stderr } = await colibri(place, [command]);
        expect(stdout + stderr, password).not.toContain(MARK);
      }
    }
  }, 120_000);
});
