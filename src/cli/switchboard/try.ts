// Whether a server can be started: looks for its program and folder, or starts it once to see whether it answers, and stops it again.
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import { readEnv } from '../../config.js';
import { readVersion } from '../../start/version.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { faultReason } from '../../switchboard/health/cell.js';
import { forPeople } from '../../switchboard/health/state.js';
import type { DialDeps } from '../../switchboard/link/dial-try.js';
import { serverEnvironment } from '../../switchboard/link/inherit-env.js';
import type { DeclaredTool } from '../../switchboard/link/link.js';
import { isProgram } from '../paths.js';

/** The PATH that execvp uses if the environment has none. */
const USUAL_PATH = '/bin:/usr/bin';

/** Says, without starting anything, what is missing for a server's start; an empty text if nothing is. */
export const absence = ({ connection, written }: ServerConfig): string => {
  if (connection.kind === 'http' || written.kind === 'http' || process.platform === 'win32') return '';
  const { command, cwd, env, inheritEnv } = connection;
  if (!existsSync(cwd)) return `there is no folder ${written.cwd}`;
  if (command.includes('/')) return isProgram(resolve(cwd, command)) ? '' : `there is no program ${written.command}`;
  const { PATH = USUAL_PATH } = serverEnvironment(inheritEnv, env, readEnv());
  const isThere = PATH.split(delimiter).some((dir) => isProgram(resolve(cwd, dir, command)));
  return isThere ? '' : `there is no program ${written.command} on the PATH`;
};

/** The result of a trial. A success means what HEALTHY means: the handshake was done and the tools were listed. */
export type Trial =
  | { readonly tools: readonly DeclaredTool[]; readonly era: string }
  /** `asksToSignIn`: true if the server answered that it needs credentials. */
  | { readonly fault: string; readonly asksToSignIn: boolean };

const tryServer = async (server: ServerConfig, deps: DialDeps): Promise<Trial> => {
  const { dialFor } = await import('../../switchboard/link/dial.js');
  const { startTimeoutMs } = server.health;
  const events = { lost: () => {}, listChanged: () => {}, notified: () => {} };
  // The signal, which would end the connection attempt, is never aborted: the attempt has its own timeout.
  const request = { dial: 1, events, startTimeoutMs, signal: new AbortController().signal };
  const end = await dialFor(server, deps)(request);
  if ('link' in end) {
    await end.link.close(false);
    return { tools: end.tools, era: end.link.era };
  }
  if ('auth' in end) return { fault: `HTTP ${end.auth}`, asksToSignIn: true };
  return { fault: 'fault' in end ? forPeople(faultReason(end.fault, end)) : 'HTTP 429', asksToSignIn: false };
};

const dialDeps = async (): Promise<DialDeps> => {
  const { Watchdog } = await import('../../switchboard/link/watchdog.js');
  return {
    env: readEnv(),
    watchdog: new Watchdog(),
    eras: new Map(),
    identity: { name: 'colibri', version: readVersion() },
    capabilities: () => ({}),
    nowMs: () => performance.now(),
    epochMs: Date.now,
  };
};

export type OnTrial = (server: string, trial: Trial) => void;

/** Tries all servers at once; calls `onTrial` when a server has answered or failed. */
export const tryServers = async (
  servers: readonly ServerConfig[],
  onTrial: OnTrial = () => {},
): Promise<ReadonlyMap<ServerConfig, Trial>> => {
  const deps = await dialDeps();
  const tried = async (server: ServerConfig): Promise<readonly [ServerConfig, Trial]> => {
    const trial = await tryServer(server, deps);
    onTrial(server.name, trial);
    return [server, trial];
  };
  return new Map(await Promise.all(servers.map(tried)).finally(() => deps.watchdog.close()));
};
