// Wants a login: 401 for whoever does not send the right token. The token is `open-sesame`, or, where TOKEN_FILE names a file
// that is there, what stands in it: so that a token can expire while the server runs.
import { existsSync, readFileSync } from 'node:fs';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { contractServer } from './contract-tools.mjs';
import { listen } from './http.mjs';

const tokenFile = process.env.TOKEN_FILE ?? '';
const token = () => (existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8') : 'open-sesame');

const handler = createMcpHandler(() => contractServer());
listen((request) =>
  request.headers.get('authorization') === `Bearer ${token()}`
    ? handler.fetch(request)
    : new Response('who are you?', { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
);
