// Questions of a hostile server: at most eight at a time, only during a call, in its own name, recorded. And answers that are
// nested deeper than anybody could hand on: the record says what the caller got.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, type Peer, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';

/** A client of the old era that can be asked, line by line. */
const asked = async (env: Record<string, string> = {}) => {
  const place = freshPlace();
  const logFile = join(place.dir, 'server.log');
  writeBoard(place, { evil: fakeServer('hostile', { LOG: logFile, ...env }), plain: fakeServer('plain') });
  const peer = serve(place);
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const clientInfo = { name: 'raw', version: '1.0' };
  await peer.request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo });
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await peer.phase2();
  await untilHealthy(peer, 'evil', 'plain');
  const log = (): string => (fs.existsSync(logFile) ? fs.readFileSync(logFile, 'utf8') : '');
  return { place, peer, log };
};

const questions = (peer: Peer): Message[] =>
  peer.messages.filter(({ method }) => /^(elicitation|sampling|roots)\//.test(method ?? ''));

const recorded = (place: { readonly db: string }): Message[] =>
  new Ledger(place.db).records.filter(({ kind }) => kind === 'asked').map(({ body }) => body);

test.each([
  ['elicitation/create', 'message'],
  ['sampling/createMessage', 'systemPrompt'],
])('of 1,500 times %s eight are put, in the name of their server', { timeout: 30_000 }, async (method, shown) => {
  const { place, peer, log } = await asked();
  // An id of its own: those of questions are numbers, as those of the calls are.
  const answer = peer.answer('the call');
  const params = { name: 'evil__ask', arguments: { count: 1_500, method } };
  peer.send({ jsonrpc: '2.0', id: 'the call', method: 'tools/call', params });
  await peer.until(() => questions(peer).length >= 8);
  await eventually('the others are refused', () => log().split('refused').length === 1_493);
  const open = questions(peer);
  expect(open).toHaveLength(8);
  for (const { params } of open) {
    expect(params[shown]).toMatch(/^The MCP server "evil" asks:/);
    expect(params._meta).toEqual({ mine: 1 });
  }
  for (const { id } of open) peer.send({ jsonrpc: '2.0', id, result: { action: 'decline' } });
  const { result } = await answer;
  expect(JSON.parse(result.content[0].text)).toEqual({ answered: 8 });
  expect((await peer.end()).code).toBe(0);
  const { call } = result._meta['dev.colibri/receipt'];
  expect(recorded(place)).toHaveLength(8);
  for (const body of recorded(place)) expect(body).toMatchObject({ kind: 'asked', server: 'evil', method, call });
  expect(await verify(place)).toBe(0);
  const { stdout } = await colibri(place, ['log', '--kind', 'asked']);
  expect(stdout).not.toContain('password');
});

test('a server that works on no call asks nobody', { timeout: 30_000 }, async () => {
  const { place, peer, log } = await asked({ ASK_FIRST: '1' });
  await eventually('it was told so', () => log().includes('sampling -32600'));
  expect(questions(peer)).toEqual([]);
  expect((await peer.end()).code).toBe(0);
  expect(recorded(place)).toEqual([]);
  expect(await verify(place)).toBe(0);
});

test('what is nested too deeply is recorded as what the caller got', { timeout: 30_000 }, async () => {
  const { place, peer } = await asked();
  const got: string[] = [];
  for (const where of ['content', 'structured', 'meta', 'error', 'block'])
    for (const levels of [900, 1_001, 20_000, 400_000]) {
      const answer = await peer.call('evil__deep', { where, levels });
      const isFine = levels === 900;
      if (!isFine) expect(answer.error?.message, `${where} ${levels}`).toMatch(/nested deeper than 1000 levels/);
      got.push(answer.error === undefined ? 'ok' : `domain_error ${answer.error.code}`);
    }
  expect((await peer.call('evil__ask_deep', {})).result.content[0].text).toContain('"code":-32602');
  expect((await peer.end()).code).toBe(0);
  const outcomes = new Ledger(place.db).records
    .filter(({ kind, body }) => kind === 'call.exit' && body.tool === 'evil__deep')
    .map(({ body }) => [body.outcome, body.code].filter(Boolean).join(' '));
  expect(outcomes).toEqual(got);
  expect(got.filter((one) => one === 'ok')).toHaveLength(4);
  expect(await verify(place)).toBe(0);
});
