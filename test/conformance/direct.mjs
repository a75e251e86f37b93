// The fixture over HTTP, with nothing between it and the suite.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listen } from '../servers/http.mjs';
import { endpoint } from './endpoint.mjs';
import { fixtureServer } from './fixture.mjs';

const announce = (list) => (list === 'tools' ? modern.notify.toolsChanged() : modern.notify.promptsChanged());
const modern = createMcpHandler(() => fixtureServer(announce), { legacy: 'reject' });
listen(endpoint((transport) => fixtureServer().connect(transport), modern));
