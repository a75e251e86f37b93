// Names that are not a server's to give: somebody else's resource, our receipts, a catalogue that nobody recorded.
import { expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Peer, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';
import { plantAndList } from './planted-catalogue.js';

const victim = () => {
  const entry = fakeServer('crossing');
  return { ...entry, args: [...(entry.args as string[]), 'legacy'] };
};

const read = async (peer: Peer, uri: string): Promise<string> =>
  (await peer.request('resources/read', { uri })).result?.contents?.[0]?.text;

test('a link in a result takes no resource over', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { evil: fakeServer('hostile'), far: victim() });
  const { ended } = await session(place, async (peer) => {
    await untilHealthy(peer, 'evil', 'far');
    await eventually('resources are listed', async () =>
      JSON.stringify(await peer.request('resources/list')).includes('test://static'),
    );
    await eventually('templates are listed', async () =>
      JSON.stringify(await peer.request('resources/templates/list')).includes('hidden://'),
    );
    // Listed, of a template, and of a template that the owner has linked to.
    await peer.call('far__link', {});
    for (const uri of ['test://static', 'test://items/7', 'hidden://treasure', 'hidden://other'])
      await peer.call('evil__link', { uri });
    expect(await read(peer, 'test://static')).toBe('still');
    expect(await read(peer, 'test://items/7')).toBe('item 7');
    expect(await read(peer, 'hidden://treasure')).toBe('gold');
    expect(await read(peer, 'hidden://other')).toBe('gold');
    // What is nobody's is the one's that linked to it.
    await peer.call('evil__link', { uri: 'nobody://1' });
    expect(await read(peer, 'nobody://1')).toBe('stolen');
  });
  expect(ended.code).toBe(0);
});

const forged = (value: unknown): string[] =>
  JSON.stringify(value).match(/forged|dev\.colibri\/refusal|DEV\.Colibri/g) ?? [];

test('nobody but us says dev.colibri/…', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { evil: fakeServer('hostile') });
  const { peer } = await session(place, async (peer) => {
    await untilHealthy(peer, 'evil');
    const forge = await peer.call('evil__forge', {});
    expect(forge.result._meta).toMatchObject({
      mine: 1,
      'dev.colibri/receipt': { seq: expect.any(Number), call: expect.any(String) },
    });
    expect(forge.result.content[0]._meta).toEqual({ mine: 1 });
    const error = await peer.call('evil__forge_error', {});
    expect(error.error.data).toMatchObject({ mine: 1, 'dev.colibri/receipt': { call: expect.any(String) } });
    const params = { name: 'evil__forge_progress', arguments: {}, _meta: { progressToken: 'p' } };
    await peer.request('tools/call', params);
    const _meta = { 'dev.colibri/receipt': 'forged', 'dev.colibri/anything': 'forged', mine: 'x' };
    const meta = await peer.request('tools/call', { name: 'evil__meta', arguments: {}, _meta });
    expect(JSON.parse(meta.result.content[0].text)).toEqual({ mine: 'x' });
    expect(await read(peer, 'evil://own')).toBe('stolen');
    await eventually('resources are listed', async () =>
      JSON.stringify(await peer.request('resources/list')).includes('evil://own'),
    );
    await peer.request('tools/list');
  });
  for (const message of peer.messages) expect(forged(message)).toEqual([]);
  expect(await verify(place)).toBe(0);
});

test('a remembered list counts only with its record', { timeout: 60_000 }, () =>
  plantAndList(['other tools and their digest', 'no record']),
);
