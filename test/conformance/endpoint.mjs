// One endpoint for both eras, put together of the SDK's own HTTP handlers as its documents say: a session with its own
// server for clients of the old era, a server for every request of the new one.
import { randomUUID } from 'node:crypto';
import {
  hostHeaderValidationResponse,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

const refused = (status, code, message) =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });

const messageOf = (request) =>
  request
    .clone()
    .json()
    .catch(() => undefined);

/** `open(transport)` puts a server behind a new session's transport; lists of tools wait until `listable` of what it returns. */
const sessionsOf = (open) => {
  const sessions = new Map();
  const begin = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, opened }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const opened = await open(transport);
    return transport;
  };
  return async (request) => {
    const id = request.headers.get('mcp-session-id');
    const known = id === null ? undefined : sessions.get(id);
    if (id !== null && known === undefined) return refused(404, -32001, 'Session not found');
    const message = request.method === 'POST' ? await messageOf(request) : undefined;
    if (message?.method === 'tools/list') await known?.opened?.listable;
    if (known !== undefined) return known.transport.handleRequest(request);
    if (!isInitializeRequest(message)) return refused(400, -32000, 'A session id is needed');
    return (await begin()).handleRequest(request);
  };
};

/** `modern` is what `createMcpHandler` gave. */
export const endpoint = (open, modern) => {
  const sessions = sessionsOf(open);
  return async (request) => {
    const stranger =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins());
    if (stranger) return stranger;
    return (await isLegacyRequest(request)) ? sessions(request) : modern.fetch(request);
  };
};
