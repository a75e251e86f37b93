// The servers that the suite is pointed at, each in a process of its own: the fixture directly, and through Colibri.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const START_MS = 60_000;
const END_MS = 20_000;
const at = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Left to right in every table. */
export const LEGS = ['direct', 'through', 'through-old'];

const argumentsOf = (leg, { modules, scratch }) => {
  if (leg === 'direct') return [at('./direct.mjs')];
  const dir = join(scratch, leg);
  fs.mkdirSync(dir);
  return [at('./through.mjs'), modules, dir, leg === 'through-old' ? 'old' : 'both'];
};

const portOf = (child) =>
  new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no port after ${START_MS} ms`)), START_MS);
    child.on('close', (code) => reject(new Error(`ended with ${code}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const port = /^port (\d+)$/m.exec(text)?.[1];
      if (port === undefined) return;
      clearTimeout(late);
      resolve(port);
    });
  });

/** Its stderr goes to a file in the scratch folder. `urlOf`: an address that no other client has used. */
export const startHost = async (leg, places) => {
  const logFile = join(places.scratch, `${leg}.log`);
  const log = fs.openSync(logFile, 'w');
  const child = spawn(process.execPath, argumentsOf(leg, places), { stdio: ['pipe', 'pipe', log] });
  fs.closeSync(log);
  const closed = once(child, 'close');
  try {
    const origin = `http://127.0.0.1:${await portOf(child)}`;
    return { leg, url: `${origin}/mcp`, urlOf: (client) => `${origin}/${client}/mcp`, end: () => end(child, closed) };
  } catch (thrown) {
    await end(child, closed);
    throw new Error(`${leg} did not start: ${thrown.message}\n${fs.readFileSync(logFile, 'utf8').slice(-2000)}`);
  }
};

/** By the end of stdin, as a client would; by force where that does not help. */
const end = async (child, closed) => {
  child.stdin.on('error', () => {}).end();
  const late = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await closed;
  clearTimeout(late);
};
