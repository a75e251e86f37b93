// `colibri doctor` on a store on PostgreSQL: what it says of a server that is well, of one that is stopped, and of one behind a pooler.
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { nodeOn } from '../support/postgres-nodes.js';
import { type Place, serve } from '../support/serve.js';

const served = async (place: Place): Promise<void> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2(20_000);
  await peer.end();
};

const findingsOf = async (
  place: Place,
): Promise<{ check: string; state: string; message: string; remedy?: string }[]> =>
  json(await colibri(place, ['doctor', '--json'])).findings;

describe.skipIf(noPostgres())('doctor on PostgreSQL', () => {
  test('a server that is well', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const place = nodeOn(url);
    await served(place);
    const ran = await colibri(place, ['doctor']);
    expect(ran, ran.stdout).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(/store +opens, schema \d+/);
    expect(ran.stdout).toMatch(/server +PostgreSQL \d+.*, UTF8/);
    expect(ran.stdout).toContain('its clock and this one agree');
    expect(ran.stdout).toContain('may change records too');
    expect(ran.stdout).not.toContain('pooler');
    expect(ran.stdout).not.toContain('not encrypted');
    // An address by which no rule knows this machine: it could be any.
    const elsewhere = nodeOn(url.replace('127.0.0.1', '0.0.0.0'));
    expect(await findingsOf(elsewhere)).toContainEqual({
      check: 'server',
      state: 'warning',
      message: expect.stringContaining('not encrypted'),
      remedy: expect.stringContaining('sslmode=verify-full'),
    });
    expect(ran.stdout + ran.stderr).not.toContain(new URL(url).password);
  });

  test('a role that lacks rights, and one that may only read', async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    await served(nodeOn(url));
    const role = `reader_${Date.now()}`;
    const address = new URL(url);
    address.username = role;
    address.password = 'reads';
    const saidAfter = async (sql: string) => {
      await askServer(url, sql);
      const found = await findingsOf(nodeOn(address.href));
      return found.filter(({ check, message }) => check === 'server' && message.includes(`the role ${role}`));
    };
    const finding = (state: string, message: string, remedy?: string) => [
      expect.objectContaining({
        state,
        message: expect.stringContaining(message),
        ...(remedy !== undefined && { remedy: expect.stringContaining(remedy) }),
      }),
    ];
    const all = 'ON ALL TABLES IN SCHEMA public';
    onTestFinished(() => askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => {}));
    expect(await saidAfter(`CREATE ROLE ${role} LOGIN PASSWORD 'reads'; GRANT SELECT ${all} TO ${role}`)).toEqual(
      finding('warning', 'cannot serve: it lacks INSERT on actions, ', 'enough for reading'),
    );
    expect(await saidAfter(`REVOKE SELECT ON heard FROM ${role}`)).toEqual(
      finding('problem', 'SELECT on heard; INSERT'),
    );
    expect(await saidAfter(`GRANT SELECT, INSERT, UPDATE, DELETE ${all} TO ${role}`)).toEqual(
      finding('ok', 'may serve, and may change records'),
    );
    for (const [right, table] of [
      ['INSERT', 'votes'],
      ['UPDATE', 'approvals'],
      ['UPDATE', 'beside'],
      ['DELETE', 'instances'],
      ['SELECT', 'checkpoints'],
    ] as const) {
      const said = await saidAfter(`REVOKE ${right} ON ${table} FROM ${role}`);
      expect(said, table).toEqual(finding('problem', `it lacks ${right} on ${table}`, 'step 4'));
      await askServer(url, `GRANT ${right} ON ${table} TO ${role}`);
    }
    // Nothing that serving does not need is asked for.
    expect(await saidAfter(`REVOKE UPDATE, DELETE ON actions, votes FROM ${role}`)).toEqual(finding('ok', 'may serve'));
    expect(await saidAfter(`REVOKE INSERT ON identity FROM ${role}`)).toEqual(finding('ok', 'may serve'));
  });

  test('nobody listens', async () => {
    const found = await findingsOf(nodeOn('postgres://ann:secret-word@127.0.0.1:1/none'));
    const store = found.filter(({ check }) => check === 'store');
    expect(store).toContainEqual(
      expect.objectContaining({ state: 'problem', message: expect.stringContaining('cannot be reached') }),
    );
    expect(JSON.stringify(found)).not.toContain('secret-word');
  });
});
