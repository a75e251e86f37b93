// Behaves, in the new era, over HTTP.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { contractServer } from './contract-tools.mjs';
import { listen } from './http.mjs';

const handler = createMcpHandler(() => contractServer(() => handler.notify.toolsChanged()), { legacy: 'reject' });
listen((request) => handler.fetch(request));
