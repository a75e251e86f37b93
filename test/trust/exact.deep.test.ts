// What "exactly this call" means: which arguments are the same, and that a yes is worth nothing in another project, after its time, or to
// whoever makes up or keeps a `requestState`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, rows } from '../support/command-line.js';
import { CLIENT_KINDS, type ClientKind, type Message } from '../support/serve.js';
import { approvalsOf, approve, deny } from './answering.js';
import { MINUTE, withClock } from './moved-clock.js';
import { errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';
import { rawModern, untilRawListed } from './raw.js';

const ASKED = { tools: { ask: ['wipe'] }, validate: 'off' };
const codeOf = (answer: Message): string => errorOf(answer)?.code ?? 'called';
const idOf = (answer: Message): string => errorOf(answer)?.details.approval_id ?? '';

/** Arguments as bytes: what a person is asked about, and what is called after the yes. */
const SAME: readonly (readonly [string, string])[] = [
  ['{"a":1,"b":[2,3]}', '{ "b": [2, 3], "a": 1 }'],
  ['{"n":1}', '{"n":1.0}'],
  ['{"n":1}', '{"n":1e0}'],
  ['{"n":0}', '{"n":-0}'],
  ['{"a":"x","b":"twice","b":"last"}', '{"a":"x","b":"last"}'],
  ['{"t":"\\u00e9"}', '{"t":"é"}'],
];
const OTHER: readonly (readonly [string, string])[] = [
  ['{"n":1}', '{"n":"1"}'],
  ['{"n":1}', '{"n":1.0000000000000002}'],
  ['{"n":9007199254740991}', '{"n":9007199254740990}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['{}', '{"__proto__":{"a":1}}'],
  ['{"a":{"constructor":1}}', '{"a":{"constructor":2}}'],
  // The same letter, composed and decomposed: other bytes for the server.
  ['{"path":"/caf\\u00e9"}', '{"path":"/cafe\\u0301"}'],
  ['{"path":"a"}', '{"path":"a "}'],
  ['{"path":"a"}', '{"path":"a\\u200b"}'],
  // Neither has a canonical form.
  ['{"path":"\\ud800"}', '{"path":"\\ud801"}'],
  ['{"path":"\\ufffd"}', '{"path":"\\ud800"}'],
  // The same in every record, since both are secrets.
  ['{"password":"one","p":1}', '{"password":"two","p":1}'],
  ['{"h":{"Authorization":"Bearer aaaaaaaaaaaaaaaaaaaa"}}', '{"h":{"Authorization":"Bearer aaaaaaaaaaaaaaaaaaab"}}'],
];

test('the same arguments are those that the server would get alike, and no others', { timeout: 180_000 }, async () => {
  const world = worldWith([toolNamed('wipe', { inputSchema: { type: 'object' } })], ASKED);
  const { place } = world;
  const client = await rawModern(place);
  await untilRawListed(client, 'far__wipe');
  const call = async (args: string) => (await client.callText('far__wipe', args)).result as Message;
  for (const [first, second] of OTHER) {
    const [one, two] = [await call(first), await call(second)];
    expect([first, codeOf(one), codeOf(two)]).toEqual([first, 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED']);
    expect(idOf(two), `${first} ${second}`).not.toBe(idOf(one));
    expect(idOf(await call(first)), first).toBe(idOf(one));
  }
  const [[granted = '', other = ''] = []] = OTHER.slice(-2);
  expect((await approve(place, idOf(await call(granted)))).code).toBe(0);
  expect(codeOf(await call(other))).toBe('APPROVAL_REQUIRED');
  expect(codeOf(await call(granted))).toBe('called');
  let calls = 1;
  for (const [first, second] of SAME) {
    const one = await call(first);
    expect([first, idOf(await call(second))]).toEqual([first, idOf(one)]);
    expect((await approve(place, idOf(one))).code).toBe(0);
    expect([second, codeOf(await call(second))]).toEqual([second, 'called']);
    calls += 1;
  }
  await client.peer.end();
  expect(world.calls().length).toBe(calls);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test.each(CLIENT_KINDS)('a %s client: a yes counts in its project alone', { timeout: 90_000 }, async (kind) => {
  const world = worldWith([toolNamed('wipe')], ASKED);
  const { place } = world;
  const [one = '', two = ''] = ['one', 'two'].map((name) => {
    const dir = join(place.dir, name);
    mkdirSync(join(dir, '.git'), { recursive: true });
    writeFileSync(join(dir, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    return dir;
  });
  const first = await trustClient(place, kind, { cwd: one });
  await untilListed(first, 'far__wipe');
  const id = idOf(await first.call('far__wipe'));
  const second = await trustClient(place, kind, { cwd: two });
  await untilListed(second, 'far__wipe');
  const there = await second.call('far__wipe');
  expect([codeOf(there), idOf(there) === id]).toEqual(['APPROVAL_REQUIRED', false]);
  expect((await approve(place, id)).code).toBe(0);
  expect(codeOf(await second.call('far__wipe'))).toBe('APPROVAL_REQUIRED');
  expect(world.calls()).toEqual([]);
  expect(codeOf(await first.call('far__wipe'))).toBe('called');
  expect(world.calls().length).toBe(1);
});

test.each(CLIENT_KINDS)(
  'a %s client: after its time a question, a yes and a no are over, and the arguments are gone',
  { timeout: 120_000 },
  async (kind: ClientKind) => {
    const world = worldWith([toolNamed('wipe')], { ...ASKED, ask: { minutes: 5 } });
    const { place } = world;
    const clock = withClock(place.dir);
    const client = await trustClient(place, kind, { env: clock.env });
    await untilListed(client, 'far__wipe');
    const call = (path: string) => client.call('far__wipe', { path });
    const [asked, granted, denied] = [await call('asked'), await call('granted'), await call('denied')];
    expect((await approve(place, idOf(granted))).code).toBe(0);
    expect((await deny(place, idOf(denied))).code).toBe(0);
    clock.ahead(5 * MINUTE - 30_000);
    expect([idOf(await call('asked')), codeOf(await call('denied'))]).toEqual([idOf(asked), 'APPROVAL_DENIED']);
    clock.ahead(5 * MINUTE + 1_000);
    for (const [path, before] of Object.entries({ asked, granted, denied })) {
      const after = await call(path);
      expect([path, codeOf(after), idOf(after) === idOf(before)]).toEqual([path, 'APPROVAL_REQUIRED', false]);
    }
    expect(world.calls()).toEqual([]);
    const states = new Map((await approvalsOf(place)).map((one) => [one.approval_id, one.state]));
    expect([asked, granted, denied].map((one) => states.get(idOf(one)))).toEqual(['expired', 'expired', 'denied']);
    await client.close();
    const kept = rows<{ approval_id: string; args: string | null }>(place, 'SELECT approval_id, args FROM approvals');
    const old = new Set([asked, granted, denied].map(idOf));
    expect(kept.filter(({ approval_id }) => old.has(approval_id)).map(({ args }) => args)).toEqual([null, null, null]);
    expect(recordsOf(place, 'approval').filter(({ state }) => state === 'expired').length).toBe(2);
    expect((await colibri(place, ['verify'])).code).toBe(0);
  },
);

test('a clock that steps back makes a yes last longer, and never good twice', { timeout: 90_000 }, async () => {
  const world = worldWith([toolNamed('wipe')], { ...ASKED, ask: { minutes: 5 } });
  const { place } = world;
  const clock = withClock(place.dir);
  const client = await trustClient(place, 'v2 legacy', { env: clock.env });
  await untilListed(client, 'far__wipe');
  const asked = await client.call('far__wipe');
  expect((await approve(place, idOf(asked))).code).toBe(0);
  clock.ahead(-60 * MINUTE);
  expect(codeOf(await client.call('far__wipe'))).toBe('called');
  clock.ahead(-61 * MINUTE);
  const again = await client.call('far__wipe');
  expect([codeOf(again), idOf(again) === idOf(asked)]).toEqual(['APPROVAL_REQUIRED', false]);
  clock.ahead(0);
  expect(codeOf(await client.call('far__wipe'))).toBe('APPROVAL_REQUIRED');
  await client.close();
  expect(world.calls().length).toBe(1);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

const yes = { colibri_approval: { action: 'accept', content: { answer: 'yes' } } };
const no = { colibri_approval: { action: 'accept', content: { answer: 'no', why: 'never' } } };

test('a requestState that is forged, of another call, kept, or of another process is worth nothing', {
  timeout: 120_000,
}, async () => {
  const world = worldWith([toolNamed('wipe'), toolNamed('wipe_all')], { ...ASKED, tools: { ask: ['wipe*'] } });
  const { place } = world;
  const client = await rawModern(place, { asks: true });
  await untilRawListed(client, 'far__wipe');
  const wipe = (path: string, more?: Message) => client.call('far__wipe', { path }, more);
  const stateOf = ({ result }: Message): string => {
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    return result.requestState;
  };
  const invalid = { code: -32602, data: { reason: 'invalid_request_state' } };
  const [a, b] = [stateOf(await wipe('a')), stateOf(await wipe('b'))];
  const [text = '', mac = ''] = a.split('.');
  const [textOfB = ''] = b.split('.');
  const forged = Buffer.from(JSON.stringify({ suspended: 'x' })).toString('base64url');
  for (const state of [
    `${textOfB}.${mac}`,
    `${forged}.${mac}`,
    `${text}.${mac.slice(0, -2)}AA`,
    text,
    `${a}x`,
    b,
    'x.y',
    '',
  ])
    expect((await wipe('a', { requestState: state, inputResponses: yes })).error, state).toMatchObject(invalid);
  // Another tool, and the same arguments.
  const elsewhere = await client.call('far__wipe_all', { path: 'a' }, { requestState: a, inputResponses: yes });
  expect(elsewhere.error).toMatchObject(invalid);
  // An answer without a state is no answer; another question's name neither; only a clear yes is one.
  stateOf(await wipe('a', { inputResponses: yes }));
  for (const inputResponses of [
    {},
    { other: yes.colibri_approval },
    { colibri_approval: { action: 'accept', content: { answer: 'YES' } } },
    { colibri_approval: { action: 'accept' } },
    { colibri_approval: 'yes' },
    { colibri_approval: [yes.colibri_approval] },
    { colibri_approval: { action: 'cancel', content: { answer: 'yes' } } },
  ])
    expect(codeOf((await wipe('a', { requestState: a, inputResponses })).result)).toBe('APPROVAL_REQUIRED');
  expect(world.calls()).toEqual([]);
  expect((await wipe('a', { requestState: a, inputResponses: yes })).result.isError).not.toBe(true);
  expect(world.calls().length).toBe(1);
  // Kept and sent again: used.
  const replayed = await wipe('a', { requestState: a, inputResponses: yes });
  expect(replayed.result.isError === true || replayed.result.resultType === 'input_required').toBe(true);
  // A no stays a no.
  const denied = await wipe('b', { requestState: b, inputResponses: no });
  expect(errorOf(denied.result)).toMatchObject({ code: 'APPROVAL_DENIED', details: { reason: 'never' } });
  expect(codeOf((await wipe('b', { requestState: b, inputResponses: yes })).result)).toBe('APPROVAL_DENIED');
  const c = stateOf(await wipe('c'));
  await client.peer.end();
  const next = await rawModern(place, { asks: true });
  await untilRawListed(next, 'far__wipe');
  const late = await next.call('far__wipe', { path: 'c' }, { requestState: c, inputResponses: yes });
  expect(late.error).toMatchObject(invalid);
  await next.peer.end();
  expect(world.calls().length).toBe(1);
  expect(recordsOf(place, 'approval').filter(({ state }) => state === 'used').length).toBe(1);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
