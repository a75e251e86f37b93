// The clients people use, each against a real process: what they are told, what they are given, and that the ledger
// says the same.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { type Body, Ledger, type Receipt, receiptOf, sha256 } from '../support/ledger-check.js';
import { type AnyClient, CLIENT_KINDS, connect, freshPlace, MODERN, modernMeta, serve } from '../support/serve.js';

const TOOLS = ['server_ping', 'server_health'];

/** Calls `tool` until the ledger is open: the first calls may be answered before it. */
const callWithReceipt = async (client: AnyClient, tool: string): Promise<Body> => {
  for (let tries = 0; tries < 100; tries++) {
    const result = await client.callTool(tool, {});
    if (receiptOf(result) !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${tool} never carried a receipt`);
};

const thrownBy = async (running: Promise<unknown>): Promise<Body> => {
  try {
    await running;
  } catch (thrown) {
    return thrown as Body;
  }
  throw new Error('it did not fail');
};

const digestOf = (result: Body, { salt }: Receipt): string =>
  sha256(Buffer.from(salt, 'hex'), String(result.content[0].text));

test.each(CLIENT_KINDS)('%s: lists, calls, is refused, and everything is in the ledger', async (kind) => {
  const place = freshPlace();
  const client = await connect(place, kind);
  expect(client.instructions()?.length).toBeGreaterThan(100);
  expect(client.instructions()?.length).toBeLessThanOrEqual(1200);

  // After this the clients check every structuredContent against the tool's outputSchema.
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(TOOLS));
  expect(tools.every(({ outputSchema }) => outputSchema !== undefined)).toBe(true);

  const results = [];
  for (const tool of TOOLS) results.push(await callWithReceipt(client, tool));
  const noTool = await thrownBy(client.callTool('server_pong', {}));
  const badArguments = await client.callTool('server_ping', 'foo' as never);
  const protocol = client.protocol();
  await client.close();

  const ledger = new Ledger(place.db);
  for (const [index, result] of results.entries()) {
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
    expect(result.structuredContent).toMatchObject({ ok: true, data: { mode: 'FULL' } });
    const receipt = receiptOf(result) as Receipt;
    const { enter, exit } = ledger.pairOf(receipt);
    expect(enter.body).toMatchObject({ tool: TOOLS[index], effect: 'read', args: 'empty' });
    expect(exit?.body).toMatchObject({ outcome: 'ok', result_digest: digestOf(result, receipt) });
  }

  expect(noTool).toMatchObject({ code: -32602, data: { code: 'TOOL_NOT_FOUND' } });
  expect(noTool.message).toContain('Did you mean server_ping?');
  const refused = ledger.pairOf(receiptOf(noTool));
  expect(refused.enter.body.tool).toBe('server_pong');
  expect(refused.exit?.body).toMatchObject({ outcome: 'rejected', code: 'TOOL_NOT_FOUND' });
  expect(refused.exit?.body).not.toHaveProperty('result_digest');

  expect(badArguments).toMatchObject({ isError: true, structuredContent: { ok: false } });
  expect(JSON.parse(badArguments.content[0].text)).toEqual(badArguments.structuredContent);
  const badReceipt = receiptOf(badArguments) as Receipt;
  expect(ledger.pairOf(badReceipt).exit?.body).toMatchObject({
    outcome: 'rejected',
    code: 'INVALID_PARAMS',
    result_digest: digestOf(badArguments, badReceipt),
  });

  expect(protocol).toMatch(kind === 'v2 modern' ? MODERN : /^2025-\d\d-\d\d$/);
  const { instance } = ledger.bootOf(client.pid);
  for (const { enter } of ledger.pairs) {
    expect(enter.body.client).toEqual({ name: client.name, version: client.version, protocol });
    expect(enter.body.instance).toBe(instance);
  }
});

deepTest('three clients on one file at once: every record has the right instance and client', async () => {
  const place = freshPlace();
  const clients = await Promise.all(CLIENT_KINDS.map((kind) => connect(place, kind)));
  await Promise.all(clients.map((client) => callWithReceipt(client, 'server_ping')));
  const answered = await Promise.all(
    clients.map(async (client) => {
      const calls = Array.from({ length: 40 }, (_, n) => client.callTool('server_ping', { from: client.name, n }));
      return { client, receipts: (await Promise.all(calls)).map(receiptOf) };
    }),
  );
  await Promise.all(clients.map((client) => client.close()));

  const ledger = new Ledger(place.db);
  expect(ledger.logs).toHaveLength(1);
  for (const { client, receipts } of answered) {
    const { instance } = ledger.bootOf(client.pid);
    for (const [n, receipt] of receipts.entries()) {
      if (receipt === undefined) continue; // the ledger took longer than a ping waits
      const { enter } = ledger.pairOf(receipt);
      expect(enter.body).toMatchObject({ instance, client: { name: client.name, version: client.version } });
      expect(JSON.parse(enter.payload?.json ?? '')).toEqual({ from: client.name, n });
    }
    const own = ledger.pairs.filter(({ enter }) => enter.body.client?.name === client.name);
    expect(own.every(({ enter, exit }) => enter.body.instance === instance && exit?.body.outcome === 'ok')).toBe(true);
    expect(own.filter(({ enter }) => enter.body.args === 'stored')).toHaveLength(40);
  }
});

test('initialize and server/discover carry the same instructions', async () => {
  const place = freshPlace();
  const legacy = serve(place);
  const modern = serve(place);
  const [greeting, discovery] = await Promise.all([
    legacy.initialize(),
    modern.request('server/discover', { _meta: modernMeta('by-hand') }),
  ]);
  expect(greeting.result.instructions.length).toBeLessThanOrEqual(1200);
  expect(discovery.result.instructions).toBe(greeting.result.instructions);
  expect(greeting.result.serverInfo).toMatchObject({ name: 'colibri' });
  await Promise.all([legacy.end(), modern.end()]);
});

test('what a client says about itself is cut to 128 characters and made well-formed', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.phase2();
  const long = 'n'.repeat(5_000);
  const meta = modernMeta(`${'n'.repeat(127)}😀`, `\u0000${long}`);
  const _meta = { ...meta, 'vscode.conversationId': long, 'vscode.requestId': 'turn-7', other: 1 };
  const answer = await peer.request('tools/call', { name: 'server_ping', _meta });
  await peer.end();

  const { enter } = new Ledger(place.db).pairOf(receiptOf(answer));
  expect(enter.body.client).toEqual({
    name: `${'n'.repeat(127)}\ufffd`,
    version: `\ufffd${'n'.repeat(127)}`,
    protocol: MODERN,
  });
  expect(enter.body.host).toEqual({ conversation: 'n'.repeat(128), turn: 'turn-7' });
});
