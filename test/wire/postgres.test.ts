// The store on PostgreSQL, by the clients people use: own tools over the wire, what reaches the server, and nothing of the password anywhere.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { deepTest, test as it } from '../support/by-gate.js';
import { askServer, freshDatabase, noPostgres } from '../support/postgres.js';
import { connect, filesBelow, freshPlace, serve } from '../support/serve.js';

const onServer = async () => {
  const place = freshPlace();
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const { COLIBRI_DB_PATH: _file, ...env } = place.env;
  const password = new URL(url).password;
  return { place: { ...place, env: { ...env, COLIBRI_DATABASE_URL: url } }, url, password };
};

describe.skipIf(noPostgres())('a store on PostgreSQL', () => {
  // The deep tests run everything with all clients.
  it('serves its own tools, and keeps pairs of records', async () => {
    const { place, url, password } = await onServer();
    const client = await connect(place, 'v2 modern');
    const created = await client.callTool('task_create', { title: 'on a server' });
    expect(created.structuredContent).toMatchObject({ ok: true, data: { task_id: 'T-0001' } });
    const claimed = await client.callTool('task_next_actions', { claim_by: 'agent' });
    expect(claimed.structuredContent).toMatchObject({ ok: true, data: { actions: [{ task: { task_id: 'T-0001' } }] } });
    const listed = await client.callTool('task_list', { search: 'SERVER' });
    expect(listed.structuredContent).toMatchObject({ ok: true, data: { tasks: [{ task_id: 'T-0001' }] } });
    await client.close();
    const kinds = await askServer(
      url,
      "SELECT kind FROM actions WHERE kind IN ('call.enter', 'call.exit') ORDER BY id",
    );
    expect(kinds.map((row) => row.kind)).toEqual(Array.from({ length: 3 }, () => ['call.enter', 'call.exit']).flat());
    for (const file of filesBelow(place.dir))
      expect(fs.readFileSync(join(place.dir, file)).includes(password), file).toBe(false);
  });

  deepTest('takes the address from a file that only its owner may read', async () => {
    const { place, url, password } = await onServer();
    const file = join(place.dir, 'address');
    fs.writeFileSync(file, `${url}\n`, { mode: 0o600 });
    const env = { COLIBRI_DATABASE_URL: '', COLIBRI_DATABASE_URL_FILE: file };
    const peer = serve(place, { env });
    await peer.initialize();
    await peer.phase2();
    expect((await peer.call('task_create', { title: 'x' })).result.isError).not.toBe(true);
    await peer.end();
    fs.chmodSync(file, 0o640);
    const refused = serve(place, { env });
    expect((await refused.ended).code).toBe(1);
    expect(refused.stderr).toMatch(/COLIBRI_DATABASE_URL_FILE: .* can be read or written by others/);
    expect(refused.stderr + peer.stderr).not.toContain(password);
  });
});
