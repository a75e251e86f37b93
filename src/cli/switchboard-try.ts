// Starts servers once, to see whether they answer: one dial each, ended at once.
import { readEnv } from '../config.js';
import type { ServerConfig } from '../switchboard/config.js';
import type { DialDeps } from '../switchboard/dial-deps.js';
import type { EraVerdict } from '../switchboard/era.js';
import type { DeclaredTool } from '../switchboard/link.js';
import { readVersion } from '../version.js';

/** What the health machine would call HEALTHY: handshake done, catalogue read. */
export type Trial =
  | { readonly tools: readonly DeclaredTool[]; readonly era: string }
  /** `asksToSignIn`: it answered, and wants credentials. */
  | { readonly fault: string; readonly asksToSignIn: boolean };

const tryServer = async (server: ServerConfig, deps: DialDeps): Promise<Trial> => {
  const { dialFor } = await import('../switchboard/dial.js');
  const { startTimeoutMs } = server.health;
  const events = { lost: () => {}, listChanged: () => {}, notified: () => {} };
  const request = { dial: 1, events, startTimeoutMs, signal: AbortSignal.timeout(startTimeoutMs) };
  const end = await dialFor(server, deps)(request);
  if ('link' in end) {
    await end.link.close(false);
    return { tools: end.tools, era: end.link.era };
  }
  if ('auth' in end) return { fault: `HTTP ${end.auth}`, asksToSignIn: true };
  return { fault: 'fault' in end ? `${end.fault}: ${end.text}` : 'HTTP 429', asksToSignIn: false };
};

const dialDeps = async (): Promise<DialDeps> => {
  const { Watchdog } = await import('../switchboard/watchdog.js');
  const verdicts = new Map<string, EraVerdict>();
  return {
    env: readEnv(),
    watchdog: new Watchdog(),
    eras: {
      get: (digest) => verdicts.get(digest),
      set: (digest, verdict) => void (verdict === undefined ? verdicts.delete(digest) : verdicts.set(digest, verdict)),
    },
    identity: { name: 'colibri', version: readVersion() },
    capabilities: () => ({}),
    nowMs: () => performance.now(),
    epochMs: Date.now,
  };
};

/** All at once, by name. */
export const tryServers = async (servers: readonly ServerConfig[]): Promise<ReadonlyMap<string, Trial>> => {
  const deps = await dialDeps();
  try {
    return new Map(
      await Promise.all(servers.map(async (server) => [server.name, await tryServer(server, deps)] as const)),
    );
  } finally {
    await deps.watchdog.close();
  }
};
