// Starts the command that Colibri's entry will contain, as a client would, and waits for the first responses. The command gets a
// throw-away store and no other servers, so it leaves nothing behind.
import { homedir } from 'node:os';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Launch } from '../../clients/client.js';
import type { Env } from '../../config.js';
import { SWITCHBOARD_LIMITS } from '../../switchboard/limits.js';
import { CLI_LIMITS } from '../limits.js';
import { plain } from '../screen/print.js';
import { wrong } from '../target.js';

/** Variables that make the start a trial. The SDK adds those that clients usually pass on, which are few. */
const trialVariables = (launch: Launch, { TMPDIR }: Env): Record<string, string> => ({
  ...(TMPDIR !== undefined && { TMPDIR }),
  ...launch.env,
  COLIBRI_MODE: 'TEST',
  COLIBRI_DEPTH: String(SWITCHBOARD_LIMITS.nestedSwitchboards),
});

/** Starts the command; returns the milliseconds until the handshake was answered. Throws if it does not start: then no entry is written. */
export const measureStart = async (launch: Launch, env: Env): Promise<number> => {
  const { command, args } = launch;
  const client = new Client({ name: 'colibri-init', version: '1' });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: trialVariables(launch, env),
    cwd: homedir(),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: unknown) => (stderr += String(chunk)));
  const refuse = (what: string, why: string): Error => {
    const [last = ''] = (stderr.trim() || why).split('\n').slice(-1);
    return wrong(`${plain([command, ...args].join(' '))} ${what}: ${plain(last)}`, 'Nothing was changed.');
  };
  const limit = { timeout: CLI_LIMITS.initStartMs };
  const began = performance.now();
  try {
    await client.connect(transport, limit).catch((thrown: Error) => {
      throw refuse('does not start', thrown.message);
    });
    const ms = Math.round(performance.now() - began);
    const list = await client.callTool({ name: 'task_list', arguments: {} }, limit).catch(() => undefined);
    if (list === undefined || list.isError === true) throw refuse('starts, but cannot open a store', '');
    return ms;
  } finally {
    await client.close();
  }
};
