// Every call is answered as the seed in its arguments says (hostile-answers.mjs). ERA: legacy or modern. With HTTP=1 on a port
// that it says on stdout, else over stdio.
import { createServer } from 'node:http';
import { answer, httpAnswer, noise, randomFrom, tools } from './hostile-answers.mjs';

const isModern = process.env.ERA === 'modern';
const capabilities = { tools: { listChanged: true }, logging: {} };
let listings = 0;

/** The handshake and the lists; undefined: unknown. */
const plain = (method) => {
  if (method === 'server/discover' && isModern)
    return JSON.stringify({
      supportedVersions: ['2026-07-28'],
      capabilities,
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } },
    });
  if (method === 'initialize' && !isModern)
    return JSON.stringify({ protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'x', version: '1' } });
  if (method === 'ping' || method === 'logging/setLevel') return '{}';
  if (method === 'tools/list')
    return `{"tools":${tools(randomFrom(++listings))}${isModern ? ',"resultType":"complete","ttlMs":0,"cacheScope":"private"' : ''}}`;
  return undefined;
};

const plainAnswer = ({ id, method }) => {
  const result = plain(method);
  const body = result === undefined ? '"error":{"code":-32601,"message":"Method not found"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}`;
};

const overStdio = ({ id, params }) => {
  const r = randomFrom(params?.arguments?.seed ?? 1);
  for (const line of noise(r)) process.stdout.write(`${line}\n`);
  if (r.chance(0.003)) process.exit(3);
  if (r.chance(0.01)) return; // never
  if (r.chance(0.05))
    process.stdout.write(r.pick(['banner\n', '\xff\xfe\n', '{"id":\n', '\r\n\n', `${'y'.repeat(70_000)}\n`]));
  const text = answer(r, id);
  process.stdout.write(`${text}\n`);
  if (r.chance(0.05)) process.stdout.write(`${text}\n`); // twice
};

const overHttp = ({ id, params }, response) => {
  const r = randomFrom(params?.arguments?.seed ?? 1);
  if (r.chance(0.01)) return;
  const { status, headers, body, cut } = httpAnswer(r, answer(r, id));
  response.writeHead(status, headers);
  if (cut) return void response.write(body.subarray(0, body.length / 2), () => response.destroy());
  response.end(status === 204 ? undefined : body);
};

if (process.env.HTTP) {
  const server = createServer(async (request, response) => {
    response.on('error', () => {});
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(text);
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === 'tools/call') return overHttp(message, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswer(message));
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`port ${server.address().port}\n`));
  process.stdin.resume().on('end', () => process.exit(0));
} else {
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      if (message.method === undefined || message.id === undefined) continue;
      if (message.method === 'tools/call') overStdio(message);
      else process.stdout.write(`${plainAnswer(message)}\n`);
    }
  });
  process.stdin.on('end', () => process.exit(0));
}
