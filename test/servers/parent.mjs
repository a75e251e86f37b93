// Not a server: a process that dials some, says their process ids and its own watchdog's on stdout, and waits to be killed.
// node parent.mjs <modules> <server file> …
import { join } from 'node:path';

const [modules, ...files] = process.argv.slice(2);
const { dialFor } = await import(join(modules, 'switchboard', 'link', 'dial.js'));
const { Watchdog } = await import(join(modules, 'switchboard', 'link', 'watchdog.js'));

const watchdog = new Watchdog();
const deps = {
  env: process.env,
  watchdog,
  eras: { get: () => undefined, set: () => {} },
  identity: { name: 'parent', version: '1.0' },
  capabilities: () => ({}),
  nowMs: () => performance.now(),
  epochMs: () => Date.now(),
};
const dial = async (file) => {
  const connection = {
    kind: 'stdio',
    command: process.execPath,
    args: [file],
    env: { LOG: process.env.LOG },
    cwd: process.cwd(),
    inheritEnv: 'minimal',
  };
  const request = { dial: 1, signal: new AbortController().signal, startTimeoutMs: 15_000 };
  const end = await dialFor(
    { connection, written: connection },
    deps,
  )({
    ...request,
    events: { lost: () => {}, listChanged: () => {}, notified: () => {} },
  });
  if (end.link === undefined) throw new Error(JSON.stringify(end));
  return end.link.pid;
};
const pids = await Promise.all(files.map(dial));
process.stdout.write(`${JSON.stringify({ pids, watchdog: watchdog.pid })}\n`);
setInterval(() => {}, 1_000);
