// Receipts over the wire: what a real process answered, own tools and those of other servers, is checked with colibri/proof against
// the record that a proof file shows to be in the log.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RECEIPT_KEY, type Receipt, verifyProof, verifyReceipt } from '../../src/proof/index.js';
import { freshPlace, MAIN, type Message, modernMeta, type Peer, type Place, serve } from '../support/serve.js';
import { nodeCrypto } from './node-crypto.js';

const ODD = fileURLToPath(new URL('../servers/odd-answers.mjs', import.meta.url));
const PROXIED = ['plain', 'members', 'list', 'listed', 'wrapped', 'surrogate', 'no'];

const writeBoard = (place: Place): void => {
  const file = join(place.dir, 'switchboard.json');
  fs.writeFileSync(file, JSON.stringify({ mcpServers: { odd: { command: 'node', args: [ODD] } } }));
  place.env.COLIBRI_SWITCHBOARD = file;
};

type Call = (name: string, args?: unknown) => Promise<Message>;

const callerOf = async (peer: Peer, era: string): Promise<Call> => {
  const _meta = era === 'modern' ? modernMeta('raw') : {};
  if (era === 'modern') await peer.request('server/discover', { _meta });
  else await peer.initialize();
  await peer.phase2();
  await peer.until(() => peer.stderr.includes('odd: STARTING → HEALTHY'), 30_000);
  return (name, args = {}) => peer.request('tools/call', { name, arguments: args, _meta });
};

/** The record of a receipt, and that a proof file of it holds. */
const recordOf = async (place: Place, { log, seq }: Receipt): Promise<string> => {
  const told = execFileSync(process.execPath, [MAIN, 'prove', `${log}/${seq}`, '--json'], {
    cwd: place.dir,
    env: place.env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { proof, vkey } = JSON.parse(told) as { proof: string; vkey: string };
  const verdict = await verifyProof(proof, vkey, nodeCrypto);
  if (!verdict.holds) throw new Error(verdict.why);
  return verdict.proof.extra.record;
};

const receiptIn = (result: Message): Receipt => result._meta[RECEIPT_KEY];

export const answersOfRecords = (era: 'legacy' | 'modern'): void =>
  test(`every answer is the one of its record: ${era}`, async () => {
    const place = freshPlace();
    writeBoard(place);
    const peer = serve(place);
    const call = await callerOf(peer, era);
    const answers: Record<string, Message> = {
      ping: await call('server_ping'),
      'ping again': await call('server_ping'), // the fast lane
      created: await call('task_create', { title: 'Ü 😀 "quoted"\n', priority: 'high' }),
      'domain error': await call('task_get', { task_id: 'T-9999' }),
      rejected: await call('task_create', { title: 5 }),
      routed: await call('router_call', { server: 'odd', tool: 'plain' }),
      'routed to nobody': await call('router_call', { server: 'nobody', tool: 'plain' }),
      'routed wrongly': await call('router_call', { sever: 1 }),
    };
    for (const name of PROXIED) answers[name] = await call(`odd__${name}`);
    answers['from another Colibri'] = await call('odd__receipt');
    await peer.end();

    for (const [name, { result }] of Object.entries(answers)) {
      const receipt = receiptIn(result);
      const record = await recordOf(place, receipt);
      const verdict = await verifyReceipt(receipt, result, record, nodeCrypto);
      expect({ name, ...verdict }).toMatchObject({ name, holds: true });

      const [first, ...more] = result.content;
      const changed = { ...result, content: [{ ...first, text: `${first?.text} ` }, ...more] };
      expect(await verifyReceipt(receipt, changed, record, nodeCrypto), name).toMatchObject({ holds: false });
      expect(await verifyReceipt(receipt, { ...result, more: 1 }, record, nodeCrypto), name).toMatchObject({
        holds: false,
      });
    }
  });

export const answerWithoutDigest = (): void =>
  test('an answer that has no digest says so', async () => {
    const place = freshPlace();
    const peer = serve(place);
    await peer.initialize();
    await peer.phase2();
    const { error } = await peer.call('no_such_tool', {});
    await peer.end();
    const receipt: Receipt = error.data[RECEIPT_KEY];
    const verdict = await verifyReceipt(receipt, error, await recordOf(place, receipt), nodeCrypto);
    expect(verdict).toEqual({
      holds: false,
      why: expect.stringContaining('JSON-RPC errors and cancelled calls have none'),
    });
  });
