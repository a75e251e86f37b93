// `colibri serve` with four tools more: a write, a read, one that sleeps and one that throws. The product's own start
// and end; its build is the folder named by the first argument. The tools are added right after the start, before the
// first line is read: they can be called and are not listed.
import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';

const load = (file) => import(pathToFileURL(join(process.argv[2] ?? '', file)).href);
const { sendConsoleToStderr } = await load('wire/console.js');
sendConsoleToStderr();
const { parseConfig, readEnv } = await load('config.js');
const { resolveProject, resolveStore } = await load('start/project.js');
const { createLogger } = await load('start/log-file.js');
const { LineTransport } = await load('wire/line-transport.js');
const { DomainError } = await load('middleware/envelope.js');
const { registerColibriTool } = await load('server.js');
const { startup } = await load('startup.js');

const addTools = (ctx) => {
  registerColibriTool(
    ctx,
    'scratch_write',
    { inputSchema: z.object({ text: z.string(), ending: z.enum(['no', 'crash']).optional() }), effect: 'write' },
    async ({ text, ending }, { tx }) => {
      // A store has our tables and no others; this one holds no evidence.
      await tx.run(
        `INSERT INTO server_eras (connection, era, version, at)
         VALUES (?, 'scratch', ?, (SELECT COUNT(*) FROM server_eras WHERE era = 'scratch'))`,
        randomUUID(),
        text,
      );
      if (ending === 'no') throw new DomainError('ERR_NO', 'not this one', { text });
      if (ending === 'crash') throw new Error('it broke');
      return { text };
    },
  );
  registerColibriTool(ctx, 'scratch_read', { inputSchema: z.object({}), effect: 'read' }, async (_args, { tx }) => {
    const rows = await tx.all(`SELECT version AS text FROM server_eras WHERE era = 'scratch' ORDER BY at`);
    return { texts: rows.map((row) => row.text) };
  });
  registerColibriTool(
    ctx,
    'sleep_open',
    { inputSchema: z.object({ ms: z.int(), deaf: z.boolean().optional() }) },
    async ({ ms, deaf }, { signal }) => {
      await sleep(ms, undefined, deaf ? {} : { signal });
      return { slept: ms };
    },
  );
  registerColibriTool(ctx, 'throw_open', { inputSchema: z.object({}) }, () => {
    throw new Error('always');
  });
};

const place = { cwd: process.cwd(), home: homedir(), platform: process.platform, projectFlag: undefined };
const config = parseConfig(readEnv(), place);
const project = resolveProject(config.projectHints);
const log = createLogger({
  level: config.logLevel,
  stderr: (line) => process.stderr.write(`${line}\n`),
  file: undefined,
  now: Date.now,
});
const transport = new LineTransport(process.stdin, process.stdout, { drainMs: config.shutdownTimeoutMs });
const running = await startup({
  config,
  project,
  choice: resolveStore(config, project),
  log,
  transport,
  exit: (code) => process.exit(code),
});
addTools(running.ctx);
const finish = (reason) => running.shutdown(reason).then(() => process.exit(0));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => finish(signal));
void running.ctx.connection?.closed.then(() => finish('stdin closed'));
