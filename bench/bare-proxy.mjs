// The reference for proxied calls: a pass-through on the SDK's own client and server, both over its own stdio. Nothing is
// recorded, checked or watched. Its one argument is the program of the server behind it.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const client = new Client({ name: 'bare-proxy', version: '1' });
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: process.argv.slice(2), stderr: 'ignore' }),
);
const server = new Server({ name: 'bare-proxy', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler('tools/list', () => client.listTools());
server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
server.onclose = () => void client.close();
await server.connect(new StdioServerTransport());
