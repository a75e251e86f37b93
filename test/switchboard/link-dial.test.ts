// Every server of test/servers/ that misbehaves at its start, and what a dial makes of it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectionDigest } from '../../src/switchboard/config/connection.js';
import { dialFor } from '../../src/switchboard/link/dial.js';
import { linkPlace, serverFile } from '../support/dial.js';

describe('a dial', () => {
  it('of a command that is not there', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.stdio('no-such-command-here', []));
    expect(end).toEqual({ fault: 'spawn_error', text: 'the command "no-such-command-here" was not found' });
  });

  it('of a file that may not be executed', async () => {
    const place = linkPlace();
    const file = join(place.dir, 'plain.txt');
    fs.writeFileSync(file, 'not a program');
    const { end } = await place.dial(place.stdio(file, []));
    expect(end).toMatchObject({ fault: 'spawn_error', text: expect.stringContaining('EACCES') });
  });

  it('in a directory that is not there, and of what no process can be given', async () => {
    const place = linkPlace();
    const connection = { ...place.connection(process.execPath, []), cwd: join(place.dir, 'gone') };
    const { end } = await place.dial(dialFor({ connection, written: connection }, place.deps));
    expect(end).toMatchObject({ fault: 'spawn_error', text: expect.stringContaining('does not exist') });
    const { end: odd } = await place.dial(place.stdio(process.execPath, ['a\0b']));
    expect(odd).toMatchObject({ fault: 'spawn_error' });
    expect((await place.dial(place.http('no url'))).end).toMatchObject({ fault: 'spawn_error' });
  });

  it('of a server that exits at once: its last words are kept', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('dead'));
    expect(end).toEqual({ fault: 'exited', text: 'exited with code 3', said: 'Error: no licence found' });
    expect(place.deps.eras.verdicts.size).toBe(0);
  });

  it('of a server that dies of the question for its era: it is started anew and remembered', async () => {
    const place = linkPlace();
    const link = await place.link(place.fake('probe-dies'));
    expect(link.era).toBe('legacy');
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era: 'legacy' }]);
    expect((await place.link(place.fake('probe-dies'))).era).toBe('legacy');
  });

  it.each([
    ['plain', 'legacy', { era: 'modern', version: '2026-07-28', at: Date.now() }],
    ['modern', 'modern', { era: 'legacy', at: Date.now() }],
  ] as const)('of a server of which the wrong era was remembered: %s', async (name, era, verdict) => {
    const place = linkPlace();
    const connection = place.connection(process.execPath, [serverFile(name)]);
    place.deps.eras.set(connectionDigest({ written: connection }), verdict);
    expect((await place.link(place.fake(name))).era).toBe(era);
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era }]);
  });

  it('of a server that never answers', async () => {
    const place = linkPlace();
    const began = performance.now();
    const { end } = await place.dial(place.fake('mute'), { startTimeoutMs: 600 });
    expect(end).toEqual({
      fault: 'start_timeout',
      text: 'no connection within 600 ms',
      said: 'waiting for the database',
    });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(place.deps.eras.verdicts.size).toBe(0);
  });

  it('that nobody waits for any more', async () => {
    const place = linkPlace();
    const abort = new AbortController();
    const pending = place.dial(place.fake('mute'), { signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    const { end } = await pending;
    expect(end).toMatchObject({ fault: 'start_timeout', text: expect.stringContaining('given up') });
    const { end: never } = await place.dial(place.fake('mute'), { signal: abort.signal });
    expect(never).toMatchObject({ fault: 'start_timeout' });
  });

  it('of a server that refuses', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('refuses'));
    expect(end).toMatchObject({ fault: 'handshake_refused', text: '', said: expect.stringContaining('not today') });
  });

  it('of 3,000 tools in pages, the last of which leads nowhere', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('many-tools'));
    expect('tools' in end && new Set(end.tools.map(({ name }) => name)).size).toBe(3_000);
  });

  it('of a server without tools, with bad ones, and one whose list is empty after a restart', async () => {
    const place = linkPlace();
    expect((await place.dial(place.fake('no-tools'))).end).toMatchObject({ tools: [] });
    const bad = await place.dial(place.fake('bad-tool'));
    const tools = [{ name: 'good' }, { name: 'bad', inputSchema: 'none', extra: 1 }];
    expect(bad.end).toMatchObject({ tools });
    const empties = place.stdio(process.execPath, [serverFile('empties')], { COUNT: join(place.dir, 'count') });
    place.deps.eras.get = () => ({ era: 'legacy', at: Date.now() });
    expect((await place.dial(empties)).end).toMatchObject({ tools: [{ name: 'echo' }] });
    expect((await place.dial(empties)).end).toMatchObject({ tools: [] });
  });
});
