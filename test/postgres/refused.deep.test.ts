// Databases that Colibri does not serve from, and what a client and a person are told: another schema and a role that may not change it, an
// encoding that does not hold every text.
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { nodeOn } from '../support/postgres-nodes.js';
import { type Place, serve } from '../support/serve.js';

const answerOf = async (place: Place, name: string, args: object = {}): Promise<string> => {
  const peer = serve(place);
  await peer.initialize();
  const answer = await peer.request('tools/call', { name, arguments: args });
  await peer.end();
  return JSON.stringify(answer);
};

const doctor = async (place: Place): Promise<string> => (await colibri(place, ['doctor'])).stdout.replace(/\s+/g, ' ');

/** A role that may do with tables what the sentence says, and its address. */
const roleOn = async (url: string, grant: (role: string) => string): Promise<string> => {
  const role = `app_${crypto.randomUUID().replaceAll('-', '')}`;
  await askServer(url, `CREATE ROLE ${role} LOGIN PASSWORD 'x'; ${grant(role)}`);
  onTestFinished(() => askServer(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => {}));
  const address = new URL(url);
  address.username = role;
  address.password = 'x';
  return address.href;
};

describe.skipIf(noPostgres())('refused databases', () => {
  test('an application that meets no schema, or an older one', { timeout: 120_000 }, async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const rights = 'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public';
    const app = nodeOn(await roleOn(url, (role) => `GRANT USAGE ON SCHEMA public TO ${role}`));
    const role = new URL(app.env.COLIBRI_DATABASE_URL ?? '').username;
    expect(await answerOf(app, 'task_list')).toMatch(/the database holds no store yet.*address of the owner/);
    expect(await doctor(app)).toMatch(/the database holds no store yet → .*address of the owner/);

    expect(await answerOf(nodeOn(url), 'task_create', { title: 'first' })).toContain('T-0001');
    await askServer(url, `GRANT ${rights} TO ${role}; COMMENT ON TABLE identity IS 'Colibri schema 10'`);
    for (const told of [await answerOf(app, 'task_list'), (await colibri(app, ['tasks'])).stderr]) {
      expect(told).toMatch(/the store has schema 10, \d+ is needed.*address of the owner/s);
      expect(told).not.toMatch(/42501|lacks a right/);
    }
    expect(await doctor(app)).toMatch(/schema 10, this Colibri has \d+ → .*address of the owner.*step/);
  });

  test('an encoding that does not hold every text', { timeout: 120_000 }, async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    for (const encoding of ['LATIN1', 'SQL_ASCII']) {
      const name = `t_${encoding.toLowerCase()}_${Date.now()}`;
      await askServer(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C'`);
      onTestFinished(() => askServer(url, `DROP DATABASE ${name} WITH (FORCE)`).then(() => {}));
      const other = new URL(url);
      other.pathname = `/${name}`;
      expect(await answerOf(nodeOn(other.href), 'task_create', { title: '世界' }), encoding).toMatch(
        new RegExp(`STORE_UNAVAILABLE.*keeps text as ${encoding}.*ENCODING 'UTF8'`),
      );
      expect(await askServer(other.href, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    }
  });
});
