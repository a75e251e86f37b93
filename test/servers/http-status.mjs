// A server of the old era whose answers have the status that `/status` was last told, from then on: `/status?code=500`.
// STATUS is the one it starts with; RETRY_AFTER is sent along.
import { listen } from './http.mjs';
import { log, text } from './lines.mjs';

let status = Number(process.env.STATUS ?? 200);

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'status', version: '1.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ name }) => (name === 'huge' ? text('x'.repeat(20 * 1024 * 1024)) : text('well')),
};

const answer = ({ id, method, params }) => {
  if (id === undefined) return new Response(null, { status: 202 });
  log(method);
  const result = answers[method]?.(params ?? {});
  const error = { code: -32601, message: 'Method not found' };
  const body = JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
  const stream = { headers: { 'content-type': 'text/event-stream' } };
  if (params?.name === 'page') return new Response('<html>log in</html>', { headers: { 'content-type': 'text/html' } });
  if (params?.name === 'broken')
    return new Response('{"jsonrpc":', { headers: { 'content-type': 'application/json' } });
  if (params?.name === 'foreign')
    return new Response('{"ok":true}', { headers: { 'content-type': 'application/json' } });
  if (params?.name === 'cut') return new Response(': soon\n\n', stream);
  if (params?.name !== 'huge' || params.arguments?.stream !== true)
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  return new Response(`data: ${body}\n\n`, stream);
};

listen(async (request) => {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === '/status') {
    status = Number(searchParams.get('code'));
    return new Response('so be it');
  }
  if (status !== 200) {
    const headers = process.env.RETRY_AFTER ? { 'retry-after': process.env.RETRY_AFTER } : {};
    return new Response('no', { status, headers });
  }
  return request.method === 'POST' ? answer(await request.json()) : new Response(null, { status: 405 });
});
