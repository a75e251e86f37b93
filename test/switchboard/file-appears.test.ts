// A switchboard file that comes, goes or is outranked while the process runs: what counts is what the next start would find.
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace } from '../support/serve.js';
import { hasNone, names, project, script, start, toldOfChange } from './file-appears.shared.js';

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
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining(`added plain to ${file}\n`) });
    await peer.until(() => toldOfChange(peer) > 0, 20_000);
    expect(await names(peer)).toContain('plain__echo');
    const answer = await peer.call('plain__echo', { n: 1 });
    expect(answer.result.content).toEqual([{ type: 'text', text: '{"n":1}' }]);
    await peer.end();
    const configs = new Ledger(place.db).records.filter(({ kind }) => kind === 'config').map(({ body }) => body);
    expect(configs).toMatchObject([{ added: ['plain'] }]);
    expect((await colibri(place, ['verify'])).code).toBe(0);
  });
});
