// A client whose model has a shell: it starts Colibri by the command of its arguments, and passes on what the test sends. `agent/shell` is its own: it
// runs a command line as its child.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pass = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const clientInfo = { name: 'agent', version: '1.0' };
pass({ id: 'init', method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
pass({ method: 'notifications/initialized' });

const shell = (id, { line }) => {
  let output = '';
  const child = spawn('bash', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  child.on('close', () => send({ id, result: { output } }));
};

createInterface({ input: server.stdout }).on('line', (line) => process.stdout.write(`${line}\n`));
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'agent/shell') shell(id, params);
    else pass({ id, method, params });
  })
  .on('close', () => server.stdin.end());
server.on('close', (code) => process.exit(code ?? 1));
