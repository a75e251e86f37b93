// The fixture over HTTP through Colibri: the product's own start and end, its door, and the fixture as a server of its
// switchboard. Arguments: the folder of the built modules, an empty folder to keep things in, the era the fixture speaks.
// A client of the old era is a session, and each session has a Colibri of its own, as each client of stdio has. The new
// era has no sessions: requests to one path share a Colibri, and each comes through a door of its own; another path is
// another client, and the Colibri of the one before it ends.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createMcpHandler, InMemoryTransport } from '@modelcontextprotocol/server';
import { listen } from '../servers/http.mjs';
import { endpoint } from './endpoint.mjs';
import { listenForChanges } from './listening.mjs';

const [modules = '', dir = '', era = 'both'] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(join(modules, file)).href);
const { parseConfig } = await load('config.js');
const { createLogger } = await load('start/log-file.js');
const { resolveProject, resolveStore } = await load('start/project.js');
const { startup } = await load('startup.js');

const LOOK_MS = 50;
const LIST_TRIES = 400;
const FIXTURE = fileURLToPath(new URL('./fixture.mjs', import.meta.url));
const switchboard = join(dir, 'switchboard.json');
const fixture = { command: process.execPath, args: [FIXTURE], env: { FIXTURE_ERA: era }, prefix: false };
writeFileSync(switchboard, JSON.stringify({ mcpServers: { fixture } }));

const log = createLogger({
  level: 'info',
  stderr: (line) => process.stderr.write(`${line}\n`),
  file: undefined,
  now: Date.now,
});

const running = new Set();

/** Settings of a machine of its own: what one remembers another must not know. */
const settings = () => {
  const home = mkdtempSync(join(dir, 'colibri-'));
  const env = { HOME: home, COLIBRI_DB_PATH: join(home, 'colibri.db'), COLIBRI_SWITCHBOARD: switchboard };
  const config = parseConfig(env, { cwd: home, home, platform: process.platform, projectFlag: undefined });
  const project = resolveProject(config.projectHints);
  return { config, project, choice: resolveStore(config, project) };
};

/**
 * Resolves when the fixture's tools are known. A new home remembers none, and a client that lists at once gets those that are known within a
 * third of a second.
 */
const fixtureListed = async ({ ctx }) => {
  for (let tries = 0; tries < LIST_TRIES && (await ctx.switchboard.listed()).length === 0; tries++)
    await sleep(LOOK_MS);
};

const startColibri = async (transport) => {
  const drain = async () => {
    await transport.close();
    return { drained: 0, abandoned: 0 };
  };
  const colibri = await startup({
    ...settings(),
    log,
    transport: Object.assign(transport, { drain }),
    // The lane answers on the connection; over HTTP each request has a stream of its own.
    createOptions: { fastLane: false },
    exit: (code) => process.exit(code),
  });
  running.add(colibri);
  void colibri.ctx.connection.closed.then(() => colibri.shutdown('the connection was closed'));
  return colibri;
};

const modernColibri = async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const colibri = await startColibri(far);
  const handler = createMcpHandler((request) => colibri.ctx.connection.door(request), { legacy: 'reject' });
  await listenForChanges(near, handler.notify);
  return { handler, end: () => colibri.shutdown('another client came') };
};

const current = { path: '', modern: undefined };

const modernAt = (path) => {
  if (current.path === path) return current.modern;
  void current.modern?.then(({ end }) => end());
  Object.assign(current, { path, modern: modernColibri() });
  return current.modern;
};

const modern = {
  fetch: async (request) => {
    const { handler } = await modernAt(new URL(request.url).pathname);
    return handler.fetch(request);
  },
};

listen(
  endpoint(async (transport) => ({ listable: fixtureListed(await startColibri(transport)) }), modern),
  () => Promise.all([...running].map((colibri) => colibri.shutdown('the end'))),
);
