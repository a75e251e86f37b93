// Answers every call with the bytes of the file that it names, and every resource with the bytes of the file in its URI. ERA is the only
// era it speaks, HOW is stdio, json (HTTP) or sse (HTTP with event streams).
import { readFileSync } from 'node:fs';
import { listen } from './http.mjs';

const isModern = process.env.ERA === 'modern';
const capabilities = { tools: {}, resources: {} };
const HOP = isModern ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};

const plain = {
  'server/discover': () => ({
    supportedVersions: ['2026-07-28'],
    capabilities,
    ...HOP,
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } },
  }),
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'x', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'file', inputSchema: { type: 'object' } }], ...HOP }),
  'resources/list': () => ({ resources: [], ...HOP }),
  'resources/templates/list': () => ({
    resourceTemplates: [{ name: 'f', uriTemplate: `${process.env.NAME}:{+path}` }],
  }),
};
delete plain[isModern ? 'initialize' : 'server/discover'];

const fileOf = ({ method, params }) => {
  if (method === 'tools/call') return params.arguments.file;
  return method === 'resources/read' ? params.uri.slice(params.uri.indexOf(':') + 1) : undefined;
};

let answers = 0;

/** The bytes of one answer, without a line feed; undefined if there is none. */
const answerTo = (message) => {
  const { id, method } = message;
  if (id === undefined || method === undefined) return undefined;
  const file = fileOf(message);
  const error = { code: -32601, message: 'Method not found' };
  if (file === undefined && plain[method] === undefined)
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, error }));
  const result = file === undefined ? JSON.stringify(plain[method]()) : readFileSync(file);
  const frame = `"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  const [before, after] = answers++ % 2 === 0 ? [`{${frame},"result":`, '}'] : ['{"result":', `,${frame}}`];
  return Buffer.concat([Buffer.from(before), Buffer.from(result), Buffer.from(after)]);
};

if (process.env.HOW === 'stdio') {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const answer = answerTo(JSON.parse(line));
      if (answer !== undefined) process.stdout.write(Buffer.concat([answer, Buffer.from('\n')]));
    }
  });
  process.stdin.on('end', () => process.exit(0));
} else
  listen(async (request) => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const answer = answerTo(await request.json());
    if (answer === undefined) return new Response(null, { status: 202 });
    if (process.env.HOW === 'json') return new Response(answer, { headers: { 'content-type': 'application/json' } });
    const event = Buffer.concat([Buffer.from('id: 1\nevent: message\ndata: '), answer, Buffer.from('\n\n')]);
    return new Response(event, { headers: { 'content-type': 'text/event-stream' } });
  });
