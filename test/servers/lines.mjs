// JSON-RPC over stdio for the servers in this folder, with nothing of an SDK in it: each of them misbehaves in one way, and
// everything else is as plain as it can be.
import { appendFileSync, existsSync } from 'node:fs';

export const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
export const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Appends one line to the file named by the environment variable LOG, if there is one. */
export const log = (line) => {
  if (process.env.LOG) appendFileSync(process.env.LOG, `${Date.now()} ${line}\n`);
};

/**
 * Whether a server misbehaves now: always, or, where the environment variable SICK names a file, while that file is there.
 * So it can be switched on and off while the server runs.
 */
export const isSick = () => process.env.SICK === undefined || existsSync(process.env.SICK);

/** A call that has arrived, and with it its effect: one line in the file that CALLS names, with the caller's own name for it. */
export const arrived = (meta) => {
  const key = meta?.['chaos.test/call'];
  if (process.env.CALLS && key !== undefined) appendFileSync(process.env.CALLS, `${Date.now()} ${key}\n`);
};

export const tool = (name) => ({ name, description: name, inputSchema: { type: 'object' } });

const legacyAnswers = (tools, version) => ({
  initialize: () => ({
    protocolVersion: version ?? '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'fake', version: '1.0' },
    instructions: 'Be kind.',
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: typeof tools === 'function' ? tools() : tools }),
});

/**
 * Answers requests by method; what is not in `answers` is `-32601`. A handler that returns undefined leaves the request
 * without an answer. `call` is short for `tools/call`.
 */
export const serve = ({ tools = [tool('echo')], call, answers = {}, onNotification } = {}) => {
  const handlers = { ...legacyAnswers(tools), ...(call && { 'tools/call': call }), ...answers };
  const take = async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === undefined) return;
    if (id === undefined) return onNotification?.(method, params);
    const handler = handlers[method];
    if (method === 'tools/call') arrived(params?._meta);
    if (handler === undefined) return send({ id, error: { code: -32601, message: 'Method not found' } });
    try {
      const result = await handler(params ?? {}, id);
      if (result !== undefined) send({ id, result });
    } catch (error) {
      send({ id, error: { code: -32603, message: error.message, ...(error.data && { data: error.data }) } });
    }
  };
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== '') take(line);
  });
  process.stdin.on('end', () => process.exit(0));
};
