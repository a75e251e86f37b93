// A server whose tool `large` returns a text of as many bytes as its argument says: the SDK's own server over its own stdio.
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const server = new McpServer({ name: 'large', version: '1' });
const line = `${'What was found in the comb is written down here, a line for each. '.repeat(3)}"quoted"\n`;

server.registerTool('large', { inputSchema: z.object({ bytes: z.number() }) }, async ({ bytes }) => ({
  content: [{ type: 'text', text: line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes) }],
}));

await server.connect(new StdioServerTransport());
