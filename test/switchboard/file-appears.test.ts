// A switchboard file that comes, goes or is outranked while the process runs: what counts is what the next start would find.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace } from '../support/serve.js';
import { hasNone, names, project, script, start, toldOfChange, write } from './file-appears.shared.js';

describe('`colibri switchboard add` beside a running process without a file', { timeout: 40_000 }, () => {
  test('is seen at once: the client is told, the tool is there and answers', async () => {
    const place = freshPlace();
    const { env, file } = project(place);
    const { peer, greeting } = await start(place, env);
    expect(greeting.result.capabilities.tools).toEqual({ listChanged: true });
    expect((await names(peer)).filter((name) => name.includes('__'))).toEqual([]);
    const unknown = await peer.call('plain__echo', {});
    expect(unknown.error.code).toBe(-32602);
    expect(hasNone(peer)).toBe(true);

    const added = await colibri(place, ['switchboard', 'add', 'plain', '--', 'node', script], { env });
    expect(added).toMatchObject({ code: 0, stdout: `added plain to ${file}\n` });
    await peer.until(() => toldOfChange(peer) > 0, 20_000);
    expect(await names(peer)).toContain('plain__echo');
    const answer = await peer.call('plain__echo', { n: 1 });
    expect(answer.result.content).toEqual([{ type: 'text', text: '{"n":1}' }]);
    await peer.end();
    const configs = new Ledger(place.db).records.filter(({ kind }) => kind === 'config').map(({ body }) => body);
    expect(configs).toMatchObject([{ added: ['plain'] }]);
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });

  test("a project's file that somebody else wrote starts nothing before it is approved", async () => {
    const place = freshPlace();
    const { env, file } = project(place);
    const { peer } = await start(place, env);
    await names(peer);
    const marker = join(place.dir, 'marker');
    write(file, {
      evil: { command: 'sh', args: ['-c', `touch ${marker}; exec node ${script}`] },
    });
    await peer.until(() => peer.stderr.includes('evil comes with this project'));
    expect(await names(peer)).not.toContain('evil__echo');
    expect([fs.existsSync(marker), hasNone(peer)]).toEqual([false, true]);
    // Of the router tools, which are there with the file.
    await peer.until(() => toldOfChange(peer) > 0);
    const told = toldOfChange(peer);
    await colibri(place, ['switchboard', 'approve', '--yes'], { env });
    await peer.until(() => toldOfChange(peer) > told, 20_000);
    expect(fs.existsSync(marker)).toBe(true);
    expect((await peer.call('evil__echo', {})).result.isError).toBeUndefined();
    await peer.end();
  });
});
