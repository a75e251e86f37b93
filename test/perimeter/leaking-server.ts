// An HTTP server of tools in the test's own process that says what it is told to: as a result, as an error of the tool, as an error of the
// protocol, as the body of an HTTP status.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Message } from '../support/serve.js';

const TOOLS = ['say', 'fail', 'refuse'];

const answers: Readonly<Record<string, (params: Message) => object>> = {
  initialize: () => ({
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'leaking', version: '1' },
    },
  }),
  'tools/list': () => ({ result: { tools: TOOLS.map((name) => ({ name, inputSchema: { type: 'object' } })) } }),
  ping: () => ({ result: {} }),
  'tools/call': ({ name, arguments: { text } }) => {
    if (name === 'refuse') return { error: { code: -32000, message: text, data: { text } } };
    return { result: { content: [{ type: 'text', text }], isError: name === 'fail' } };
  },
};

const bodyOf = async (request: IncomingMessage): Promise<Message> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : (JSON.parse(text) as Message);
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = await bodyOf(request);
  if (id === undefined) return void response.writeHead(202).end();
  const made = answers[method]?.(params) ?? { error: { code: -32601, message: 'no such method' } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...made }));
};

/** Its address. */
export const leakingServer = async (): Promise<string> => {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
};
