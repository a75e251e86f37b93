// Starts a server as a child process and connects to it over its stdin and stdout.
import type { Client } from '@modelcontextprotocol/client';
import { within } from '../../core/clock.js';
import { asError } from '../../errors.js';
import type { StdioConnection } from '../config/connection.js';
import type { Account } from '../health/state.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { childProcess, type ServerProcess } from './child-process.js';
import { type DialTime, type DialTry, failedDial, newClient, newLink, type TryEnd } from './dial-try.js';
import { offeredBy } from './era.js';
import { serverEnvironment } from './inherit-env.js';
import { ProcessTransport } from './lines.js';
import type { DialEnd } from './link.js';
import { ListError } from './lists.js';
import type { LinkLine } from './open.js';

export const openStdio = async (connection: StdioConnection, tried: DialTry): Promise<TryEnd> => {
  const { command, args, cwd, env, inheritEnv } = connection;
  const environment = serverEnvironment(inheritEnv, env, tried.deps.env);
  // The SDK's client is made before the process is started, so that an exception here leaves no process behind.
  const client = newClient(tried);
  const child = await childProcess({ command, args, cwd, env: environment }, tried.deps.watchdog);
  if (child instanceof Error) return { end: failedDial('spawn_error', child.message) };
  child.logTo(tried.deps.serverLog?.process(child.pid));
  const transport = new ProcessTransport(child);
  const gone = whenGone(child, transport);
  let offered: string | undefined;
  transport.tap = (message) => {
    offered = offeredBy(message) ?? offered;
    return false;
  };
  const stop = (): void => void transport.close();
  void gone.then(stop);
  try {
    const timeout = tried.time.leftMs + SWITCHBOARD_LIMITS.probeMs;
    await tried.time.spend(client.connect(transport, { timeout }), stop);
    return { end: await serve(tried, { child, transport, client, gone }), offered };
  } catch (thrown) {
    const fault = await faultOf(tried.time, { child, transport, gone }, asError(thrown));
    await child.end(true);
    return { end: fault, offered };
  }
};

interface Connected {
  readonly child: ServerProcess;
  readonly transport: ProcessTransport;
  readonly gone: Promise<Account>;
  readonly client: Client;
}

/** Makes the link (the open connection) after the handshake and reads the server's tools. Rejects if the tool list cannot be read. */
const serve = async (tried: DialTry, { child, transport, client, gone }: Connected): Promise<DialEnd> => {
  const { lane, link } = newLink(tried, client, transport, lineOf(child, transport));
  transport.tap = lane.take;
  transport.keepLarge = lane.keepLarge;
  let onGone = (_how: Account): void => lane.close();
  void gone.then((how) => onGone(how));
  const tools = await link.open(tried.time);
  // From here on the loss of the connection is reported as an event; until here it made the dial (attempt to connect) fail.
  onGone = (how) => link.lose(how);
  return { link, tools };
};

const lineOf = (child: ServerProcess, transport: ProcessTransport): LinkLine => ({
  pid: child.pid,
  get noise() {
    return transport.noise;
  },
  get stderr() {
    return child.stderr.text;
  },
  get lastLines() {
    return child.stderr.lastLines;
  },
  liveness: async () => {
    const isAlive = child.isRunning && transport.isOpen;
    return { end: isAlive ? { how: 'response', result: {} } : { how: 'lost' }, sent: false, frames: 0, elapsedMs: 0 };
  },
  end: async () => {
    await transport.close();
    await child.end();
  },
});

/** Resolves when the server's process has exited or closed its output, and its last output was read; says how the process ended. */
const whenGone = async (child: ServerProcess, transport: ProcessTransport): Promise<Account> => {
  const closed = new Promise<undefined>((resolve) => {
    transport.onclose = () => resolve(undefined);
  });
  const how =
    (await Promise.race([child.exited, closed])) ?? (await within(child.exited, SWITCHBOARD_LIMITS.lastWordsMs));
  await within(child.silent, SWITCHBOARD_LIMITS.lastWordsMs);
  // A process that a signal killed could not write why it ended, so its last line of stderr is about something else.
  return { text: how ?? 'closed its output', said: child.isKilled ? undefined : child.stderr.tellingLine };
};

const faultOf = async (
  time: DialTime,
  { child, transport, gone }: Pick<Connected, 'child' | 'transport' | 'gone'>,
  error: Error,
): Promise<DialEnd> => {
  if (time.isOver) return failedDial('start_timeout', time.text, child.stderr.tellingLine);
  if (!child.isRunning || transport.hasEnded) {
    const { text, said } = await gone;
    return failedDial('exited', text, said);
  }
  return error instanceof ListError
    ? failedDial('handshake_refused', error.message, error.said)
    : failedDial('handshake_refused', '', error.message);
};
