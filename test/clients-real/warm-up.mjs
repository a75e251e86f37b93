// Serves Colibri once until the tools of its servers are listed, so that a client that comes later finds them remembered.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 20_000;
const LOOK_MS = 100;

const OPENING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'warm-up', version: '1' },
};

/** Resolves when `tool` is listed, or when the time is over: the checks then say what is missing. */
export const warmUp = async (command, args, { tool, ...options }) => {
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = once(child, 'close');
  let said = '';
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({ id: 0, method: 'initialize', params: OPENING });
  send({ method: 'notifications/initialized' });
  const until = Date.now() + PATIENCE_MS;
  for (let id = 1; !said.includes(`"${tool}"`) && Date.now() < until; id++) {
    send({ id, method: 'tools/list' });
    await sleep(LOOK_MS);
  }
  child.stdin.end();
  await closed;
};
