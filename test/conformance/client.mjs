// The client that the suite tests: Colibri, with the suite's server behind it over HTTP, driven over stdio by the SDK's client.
// Arguments: Colibri's main file, the protocol era of the client in front of it, and, added by the suite, the address of its server.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { STEPS } from './client-steps.mjs';

const [main = '', era = 'modern', url = ''] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;
const PATIENCE_MS = 15_000;
const LOOK_MS = 20;

/** A home of its own, and the suite's server in the switchboard. Scenarios send arguments that do not fit their tools' schemas. */
const environment = () => {
  const home = mkdtempSync(join(process.cwd(), 'client-'));
  const board = join(home, 'switchboard.json');
  writeFileSync(board, JSON.stringify({ mcpServers: { suite: { url, prefix: false, validate: 'off' } } }));
  for (const folder of ['data', 'state', 'config', 'tmp']) mkdirSync(join(home, folder));
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: join(home, 'tmp'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    COLIBRI_DB_PATH: join(home, 'colibri.db'),
    COLIBRI_SWITCHBOARD: board,
  };
};

const until = async (what, isSo) => {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await isSo();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await sleep(LOOK_MS);
  }
};

const start = async () => {
  const env = environment();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'serve'],
    env,
    cwd: env.HOME,
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
    process.stderr.write(text);
  });
  const client = new Client(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } }, roots: {}, sampling: {} },
      versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  const steps = { client, context: JSON.parse(context), until };
  client.setRequestHandler('elicitation/create', () => steps.onAsked?.() ?? { action: 'accept', content: {} });
  await client.connect(transport);
  await until('the server is up', () => said.includes('suite: STARTING → HEALTHY'));
  return steps;
};

const run = STEPS[scenario];
if (run === undefined) throw new Error(`there are no steps for the scenario ${scenario}`);
const steps = await start();
try {
  await run(steps);
} finally {
  await steps.client.close();
}
