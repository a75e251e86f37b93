// The commands on a store on PostgreSQL: what can be read is read, what makes no sense there says what to do instead, and no output holds the
// password. Two machines share the store.
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshDatabase, noPostgres } from '../support/postgres.js';
import { freshPlace, type Place, serve } from '../support/serve.js';

const teamOf = async () => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const machine = (): Place => {
    const place = freshPlace();
    const { COLIBRI_DB_PATH: _, ...env } = place.env;
    return { ...place, env: { ...env, COLIBRI_DATABASE_URL: url } };
  };
  return { url, one: machine(), other: machine() };
};

const work = async (place: Place, name: string): Promise<void> => {
  const peer = serve(place);
  await peer.initialize(name);
  await peer.phase2(20_000);
  await peer.request('tools/call', { name: 'task_create', arguments: { title: `of ${name}`, claim_by: name } });
  await peer.request('tools/call', {
    name: 'thought_record',
    arguments: { type: 'plan', content: 'as planned', task_id: 'T-0001' },
  });
  await peer.end();
};

describe.skipIf(noPostgres())('on PostgreSQL', () => {
  test('every reading command works, and none shows the password', { timeout: 180_000 }, async () => {
    const { url, one } = await teamOf();
    await work(one, 'ann');
    const reading = [
      'status',
      'status --json',
      'log',
      'log --json',
      'tasks',
      'tasks T-0001',
      'verify',
      'verify --task T-0001',
      'export',
      'nodes',
    ];
    for (const line of [...reading, 'checkpoint', 'prune --before 1h --yes']) {
      const ran = await colibri(one, line.split(' '));
      expect(ran, `${line}: ${ran.stderr}`).toMatchObject({ code: 0 });
      expect(ran.stdout + ran.stderr).not.toContain(new URL(url).password);
    }
    const { store, nodes } = json(await colibri(one, ['status', '--json']));
    expect(store).toMatchObject({
      engine: 'PostgreSQL',
      path: expect.stringMatching(/^postgres:\/\/127/),
      records: expect.any(Number),
    });
    expect(store.bytes).toBeGreaterThan(1_000_000);
    expect(nodes).toMatchObject([{ own: true, trust: 'own key', leases: ['ann: 1'] }]);
    expect(await colibri(one, ['backup'])).toMatchObject({ code: 1, stderr: expect.stringContaining('Use pg_dump') });
    expect(await colibri(one, ['prune', '--before', '1h', '--compact', '--yes'])).toMatchObject({ code: 1 });
  });

  test('proofs and pages are checked with the keys of the store, and with those that the commands print', {
    timeout: 180_000,
  }, async () => {
    const { url, one, other } = await teamOf();
    await work(one, 'ann');
    await work(other, 'bob');
    for (const place of [one, other]) await colibri(place, ['checkpoint']);
    const [proof, page] = [join(one.dir, 'p.tlog-proof'), join(one.dir, 'p.html')];
    const log = json(await colibri(one, ['checkpoint', '--json'])).log as string;
    expect(await colibri(one, ['prove', `${log.slice(0, 8)}/0`, '--out', proof])).toMatchObject({ code: 0 });
    const made = await colibri(one, ['page', '--out', page]);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    for (const file of [proof, page]) {
      const checked = await colibri(one, ['verify', file]);
      expect(checked, file + checked.stdout + checked.stderr).toMatchObject({ code: 0 });
      expect(checked.stdout).toContain('that the local store has');
    }
    const logs = json(await colibri(one, ['nodes', '--json'])).nodes as { vkey: string; log: string }[];
    expect(logs).toHaveLength(2);
    const keys = logs.flatMap(({ vkey }) => ['--key', vkey]);
    const { COLIBRI_DATABASE_URL: _, ...stranger } = one.env;
    const alone = await colibri({ ...one, env: stranger }, ['verify', page, ...keys]);
    expect(alone, alone.stdout).toMatchObject({ code: 0 });
    const { stdout: markdown } = await colibri(one, ['report', 'T-0001', '--md']);
    for (const text of [made.stderr, markdown]) {
      const command = text.split('\n').filter((line) => line.startsWith('colibri verify'));
      expect(command).toHaveLength(1);
      for (const { vkey, log: id } of logs) {
        expect(command[0]).toContain(`--key '${vkey}'`);
        expect(text).toMatch(new RegExp(`log ${id}`));
      }
    }
    expect(made.stdout + made.stderr + markdown).not.toContain(new URL(url).password);
  });

  test('the verdict of a team is 0 when each has accepted the keys of the others', { timeout: 180_000 }, async () => {
    const { one, other } = await teamOf();
    await work(one, 'ann');
    await work(other, 'bob');
    const before = json(await colibri(one, ['verify', '--json']));
    expect(before, JSON.stringify(before.findings)).toMatchObject({ exit: 10, missing: [{ kind: 'no head' }] });
    const machines = json(await colibri(one, ['nodes', '--json'])).nodes as { node: string; own: boolean }[];
    for (const { node, own } of machines) {
      const verdict = json(await colibri(one, ['verify', '--node', node, '--json']));
      expect(verdict, JSON.stringify(verdict.findings)).toMatchObject({ exit: own ? 0 : 10, findings: [] });
    }
    const { vkey, log } = json(await colibri(other, ['checkpoint', '--json']));
    const foreign = `${vkey.slice(0, -4)}AAAA`;
    expect(await colibri(one, ['nodes', 'accept', foreign])).toMatchObject({ code: 1 });
    expect(await colibri(one, ['nodes', 'accept', vkey])).toMatchObject({ code: 0 });
    const after = json(await colibri(one, ['verify', '--json']));
    expect(after, JSON.stringify(after.findings)).toMatchObject({ exit: 0 });
    const nodes = json(await colibri(one, ['nodes', '--json'])).nodes as { log: string; trust: string }[];
    expect(nodes.find((node) => node.log === log)).toMatchObject({ trust: 'accepted' });
  });
});
