// Wants a login: 401 for whoever does not send the right token, as `Authorization: Bearer open-sesame`.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { contractServer } from './contract-tools.mjs';
import { listen } from './http.mjs';

const handler = createMcpHandler(() => contractServer());
listen((request) =>
  request.headers.get('authorization') === 'Bearer open-sesame'
    ? handler.fetch(request)
    : new Response('who are you?', { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
);
