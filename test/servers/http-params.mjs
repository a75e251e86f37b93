// Has tools with arguments that are HTTP headers, too; the SDK's handler compares both. Writes the `mcp-*` headers of every call to its log.
// `/change` gives the header of the tool `moves` another name and tells nobody. ERA=old: speaks only 2025-11-25.
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { listen } from './http.mjs';
import { log, text } from './lines.mjs';

const param = (name, type = 'string') => ({ type, 'x-mcp-header': name });
let moved = 'Old';
console.warn = () => {}; // the SDK warns of the invalid tools at every list

const tools = () => ({
  mirror: {
    text: param('Text'),
    count: param('Count', 'integer'),
    on: param('On', 'boolean'),
    token: param('Token'),
    inner: { type: 'object', properties: { deep: param('Deep') } },
    plain: { type: 'string' },
  },
  moves: { text: param(moved) },
  number: { amount: param('Amount', 'number') },
  twice: { one: param('One'), other: param('ONE') },
});

const server = () => {
  const made = new McpServer({ name: 'params', version: '1.0' });
  for (const [name, properties] of Object.entries(tools()))
    made.registerTool(name, { inputSchema: fromJsonSchema({ type: 'object', properties }) }, (args) =>
      text(JSON.stringify(args)),
    );
  return made;
};

const handler = createMcpHandler(server, { legacy: 'reject' });

/** One request, one server: no sessions. */
const old = async (request) => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server().connect(transport);
  return transport.handleRequest(request);
};

listen(async (request) => {
  if (request.url.endsWith('/change')) {
    moved = 'New';
    return new Response('changed');
  }
  const { method } = await request
    .clone()
    .json()
    .catch(() => ({}));
  if (method === 'tools/call') {
    const ours = [...request.headers].filter(([name]) => name.startsWith('mcp-'));
    log(JSON.stringify(Object.fromEntries(ours)));
  }
  return process.env.ERA === 'old' ? old(request) : handler.fetch(request);
});
