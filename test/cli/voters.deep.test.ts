// `colibri voters`: a person enrols voters at a terminal, and nobody else does.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { onOwnTerminal } from '../trust/answering.js';
import { trustClient } from '../trust/places.js';

const keyOf = ({ home }: Place, name: string): string => join(home, 'state', 'colibri', 'voters', `${name}.key`);

const votersOf = async (place: Place) => json(await colibri(place, ['voters', 'list', '--json'])).voters;

test('enrolled, listed, revoked and enrolled anew: with a key file of its own, and a record each time', async () => {
  const place = freshPlace();
  await session(place, async () => {});
  expect((await colibri(place, ['voters', 'list'])).stdout).toBe('Nobody is enrolled.\n');
  const added = await onOwnTerminal(place, ['voters', 'add', 'ada']);
  expect(added).toMatchObject({ code: 0, text: expect.stringContaining(`COLIBRI_VOTER_KEY=${keyOf(place, 'ada')}`) });
  expect(fs.statSync(keyOf(place, 'ada')).mode & 0o777).toBe(0o600);
  expect(added.text).not.toContain('PRIVATE');
  const [ada] = await votersOf(place);
  expect(ada).toMatchObject({ name: 'ada', state: 'enrolled', key_file: keyOf(place, 'ada'), revoked_at: null });
  expect(await onOwnTerminal(place, ['voters', 'add', 'ada'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('ada is enrolled already'),
  });
  expect((await onOwnTerminal(place, ['voters', 'add', 'bob', '--json'])).code).toBe(0);

  expect((await onOwnTerminal(place, ['voters', 'rm', 'ada'])).code).toBe(0);
  expect(fs.existsSync(keyOf(place, 'ada'))).toBe(false);
  expect((await onOwnTerminal(place, ['voters', 'rm', 'ada'])).code).toBe(1);
  expect((await onOwnTerminal(place, ['voters', 'add', 'ada'])).code).toBe(0);
  const [again, bob] = await votersOf(place);
  expect(again).toMatchObject({ name: 'ada', state: 'enrolled' });
  expect(again.public_key).not.toBe(ada.public_key);
  expect(bob).toMatchObject({ name: 'bob', state: 'enrolled' });
  const records = new Ledger(place.db).records.filter(({ kind }) => kind === 'voter').map(({ body }) => body);
  expect(records.map(({ name, state }) => `${name} ${state}`)).toEqual([
    ...['ada enrolled', 'bob enrolled', 'ada revoked', 'ada enrolled'],
  ]);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test('refused: from a pipe, without a terminal, with wrong digits, from below a client, for a name that is none', async () => {
  const place = freshPlace();
  await session(place, async () => {});
  expect((await onOwnTerminal(place, ['voters', 'add', 'bob'])).code).toBe(0);
  // The test's own process is the client here.
  const client = await trustClient(place, 'v1', { isAsker: true });
  await client.call('server_ping');
  for (const args of [
    ['voters', 'add', 'ada'],
    ['voters', 'rm', 'bob'],
  ])
    expect(await onOwnTerminal(place, args), args.join(' ')).toMatchObject({
      code: 1,
      text: expect.stringContaining('A client that calls tools through Colibri'),
    });
  await client.close();
  const piped = await colibri(place, ['voters', 'add', 'ada'], { input: '0000\n' });
  expect(piped).toMatchObject({ code: 1, stderr: expect.stringContaining('no terminal') });
  const wrongDigits = await onOwnTerminal(place, ['voters', 'add', 'ada'], 'yes');
  expect(wrongDigits).toMatchObject({ code: 1, text: expect.stringContaining('nothing was changed') });
  for (const name of ['', '..', '../x', 'a/b', 'server:x', 'a b', 'é', '-', '.hidden', 'x'.repeat(129)])
    expect((await colibri(place, ['voters', 'add', '--', name])).code, name).toBe(1);
  expect(await votersOf(place)).toMatchObject([{ name: 'bob', state: 'enrolled' }]);
  expect(fs.existsSync(keyOf(place, 'ada'))).toBe(false);
  expect((await colibri(place, ['voters', 'ad'])).stderr).toContain("the nearest is 'add'");
});
