// Behaves, in the old era, over HTTP with sessions. `/forget` drops all of them, as a restart would.
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { contractServer } from './contract-tools.mjs';
import { listen } from './http.mjs';
import { log } from './lines.mjs';

const sessions = new Map();

const begin = async () => {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => log(`closed ${sessions.delete(id)}`),
  });
  await contractServer().connect(transport);
  return transport;
};

listen(async (request) => {
  if (request.url.endsWith('/forget')) {
    sessions.clear();
    return new Response('forgotten');
  }
  const id = request.headers.get('mcp-session-id');
  if (id !== null && !sessions.has(id)) return new Response('no such session', { status: 404 });
  const transport = id === null ? await begin() : sessions.get(id);
  return transport.handleRequest(request);
});
