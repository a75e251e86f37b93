// An HTTP server, by default of protocol 2025-11-25 and older, whose handshake is fine and whose calls answer as a test says: byte by byte,
// with whatever status, headers and body.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: messages are looked at field by field
type Message = Record<string, any>;

export interface Asked {
  readonly message: Message;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Attack = (asked: Asked) => void;

export interface HostileHttp {
  readonly url: string;
  readonly origin: string;
  /** Every request as it came: method, path, headers. */
  readonly seen: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
}

const HANDSHAKE: Readonly<Record<string, (tools: readonly Message[]) => unknown>> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1.0' },
  }),
  ping: () => ({}),
  'tools/list': (tools) => ({ tools }),
};

export const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

export interface HostileChoice {
  /** By the name of the tool. */
  readonly attacks: Readonly<Record<string, Attack>>;
  /** Speaks protocol 2026-07-28. */
  readonly isModern?: boolean;
  /** Sees every request first; true: it has answered. */
  readonly first?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

const DISCOVER = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'hostile', version: '1.0' } },
};

export const hostileHttp = async (choice: HostileChoice): Promise<HostileHttp> => {
  const { attacks, first = () => false, isModern = false } = choice;
  const seen: HostileHttp['seen'] = [];
  const tools = Object.keys(attacks).map((name) => ({ name, inputSchema: { type: 'object' } }));
  const server = createServer(async (request, response) => {
    request.on('error', () => {});
    response.on('error', () => {});
    seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
    if (first(request, response)) return;
    if (request.method !== 'POST') return json(response, 405, {});
    const message: Message = JSON.parse(await bodyOf(request));
    const { id, method, params } = message;
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call') return attacks[params.name]?.({ message, request, response });
    const made = isModern && method === 'server/discover' ? () => DISCOVER : HANDSHAKE[method];
    const error = { code: -32601, message: 'Method not found' };
    json(response, 200, { jsonrpc: '2.0', id, ...(made === undefined ? { error } : { result: made(tools) }) });
  });
  // Longer than any sleep of a test: a connection that is closed meanwhile is another matter.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${origin}/mcp`, origin, seen };
};

/** Writes pieces for as long as the other side reads. */
export const pour = (response: ServerResponse, piece: () => Buffer, most = Number.POSITIVE_INFINITY): void => {
  let written = 0;
  const more = (): void => {
    while (!response.destroyed && written < most) {
      const bytes = piece();
      written += bytes.length;
      if (!response.write(bytes)) {
        response.once('drain', more);
        return;
      }
    }
    if (!response.destroyed) response.end();
  };
  more();
};
