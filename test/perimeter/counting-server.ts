// An HTTP server of tools in the test's own process: it answers what the old era asks and keeps every call that arrives.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Message } from '../support/serve.js';

export interface Arrived {
  readonly tool: string;
  readonly args: unknown;
  readonly at: number;
  readonly headers: IncomingMessage['headers'];
}

export interface CountingServer {
  readonly url: string;
  readonly calls: Arrived[];
  /** How often a tool was called. */
  count(tool: string): number;
  /** So many pings are answered with HTTP 500. */
  badPings: number;
  /** Told of every call before it is answered. */
  onCall: (call: Arrived) => void | Promise<void>;
}

const TOOLS = ['look', 'delete_repo', 'list_repos'];

const listed = (hints: Readonly<Record<string, object>>) =>
  TOOLS.map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object' },
    ...(hints[name] !== undefined && { annotations: hints[name] }),
  }));

const bodyOf = async (request: IncomingMessage): Promise<Message> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? {} : (JSON.parse(text) as Message);
};

/** `hints`: annotations by tool; without them nothing is known to be read-only. */
export const countingServer = async (hints: Readonly<Record<string, object>> = {}): Promise<CountingServer> => {
  const calls: Arrived[] = [];
  const found: Pick<CountingServer, 'badPings' | 'onCall'> = { badPings: 0, onCall: () => {} };
  const resultOf = async ({ method, params }: Message, headers: IncomingMessage['headers']): Promise<object | null> => {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'counting', version: '1' },
      };
    if (method === 'tools/list') return { tools: listed(hints) };
    if (method === 'ping') return {};
    if (method !== 'tools/call') return null;
    const call = { tool: params.name, args: params.arguments, at: Date.now(), headers };
    calls.push(call);
    await found.onCall(call);
    return { content: [{ type: 'text', text: `did ${params.name}` }] };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = await bodyOf(request);
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'ping' && found.badPings > 0) {
      found.badPings -= 1;
      return void response.writeHead(500).end();
    }
    const result = await resultOf(message, request.headers);
    const error = { code: -32601, message: 'no such method' };
    const text = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result === null ? { error } : { result }) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(found, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    count: (tool: string) => calls.filter((call) => call.tool === tool).length,
  });
};
