// The reference: the SDK's own server over its own stdio, one tool whose result looks like ours, nothing recorded.
// It declares no output schema, so it does not even check what it returns: the bar is as high as the SDK allows.
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const server = new McpServer({ name: 'bare', version });

server.registerTool('server_ping', { inputSchema: z.object({}) }, async () => {
  const envelope = { ok: true, data: { version, mode: 'FULL', uptime_ms: Math.floor(performance.now()) } };
  return { content: [{ type: 'text', text: JSON.stringify(envelope) }], structuredContent: envelope };
});

await server.connect(new StdioServerTransport());
