// Writes the switchboard file of a served process, and says how the servers that tests put behind it are started.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Peer, Place } from './serve.js';

const require = createRequire(import.meta.url);

const official = (name: string): string => {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist', 'index.js');
};

const fake = (name: string): string => fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url));

export type ServerEntry = Record<string, unknown>;

export const everything = (): ServerEntry => ({ command: 'node', args: [official('server-everything'), 'stdio'] });

export const memory = (place: Place): ServerEntry => ({
  command: 'node',
  args: [official('server-memory')],
  env: { MEMORY_FILE_PATH: join(place.dir, 'memory.jsonl') },
});

export const files = (place: Place): ServerEntry => ({
  command: 'node',
  args: [official('server-filesystem'), place.dir],
});

export const fakeServer = (name: string, env: Record<string, string> = {}): ServerEntry => ({
  command: 'node',
  args: [fake(name)],
  env,
});

/** Written as the user's own file, which needs no consent. */
export const writeBoard = (place: Place, servers: Record<string, ServerEntry>, more: object = {}): string => {
  const file = join(place.dir, 'switchboard.json');
  fs.writeFileSync(file, JSON.stringify({ ...more, mcpServers: servers }));
  place.env.COLIBRI_SWITCHBOARD = file;
  return file;
};

/** Waits until servers have become healthy: on a busy machine that takes longer than the first list waits. */
export const untilHealthy = (peer: Peer, ...servers: readonly string[]): Promise<void> =>
  peer.until(() => servers.every((server) => peer.stderr.includes(`${server}: STARTING → HEALTHY`)), 30_000);
