// What looking for secrets adds to a proxied call with 4 KB of arguments, in processor time: the process under load says what a call costs, and
// the same redactor over the same arguments, in the same round and between the calls, what of that is its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BARE, inFolder, withServer } from '../servers.mjs';

const PARTS = 10;
const PATIENCE_MS = 20_000;
/** Linux counts processor time in hundredths of a second. */
const TICK_US = 10_000;

/** Code and prose, as an editing tool gets them. */
const text = readFileSync(new URL('../client.mjs', import.meta.url), 'utf8')
  .slice(0, 3_000)
  .padEnd(3_000, 'a line of prose. ');
const ARGUMENTS = {
  path: '/home/me/project/src/file.ts',
  edits: [{ from: 12, to: 40, text }],
  note: 'Replace the loop, keep the names of the fields. '.repeat(20),
};

/** @param {number} pid user and system time of a process, in µs */
const processorUs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
};

/** @param {(value: unknown) => unknown} redact @param {string} json @param {number} times */
const redactingUs = (redact, json, times) => {
  const values = Array.from({ length: times }, () => JSON.parse(json)); // as they come from the wire
  const began = process.cpuUsage();
  for (const value of values) redact(value);
  const { user, system } = process.cpuUsage(began);
  return user + system;
};

/** @param {any} client */
const untilAnswered = async (client) => {
  const call = () => client.request('tools/call', { name: 'far__server_ping', arguments: ARGUMENTS });
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await call().catch((/** @type {unknown} */ thrown) => ({ isError: true, thrown }));
    if (answer.isError !== true) return call;
    if (performance.now() > deadline) throw new Error(`no answer of the tool: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
};

/** @param {number} calls */
const measure = (calls) => () =>
  inFolder(async (folder) => {
    const { redact } = await import('../../build/redact/redact.js');
    const file = join(folder, 'servers.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { far: { command: process.execPath, args: BARE } } }));
    return withServer('ours', folder, { env: { COLIBRI_SWITCHBOARD: file } }, async (client) => {
      const call = await untilAnswered(client);
      const json = JSON.stringify(ARGUMENTS);
      const part = Math.ceil(calls / PARTS);
      for (let n = 0; n < part; n += 1) await call();
      redactingUs(redact, json, part);
      let [whole, own] = [0, 0];
      for (let n = 0; n < PARTS; n += 1) {
        const began = processorUs(client.pid);
        for (let i = 0; i < part; i += 1) await call();
        whole += processorUs(client.pid) - began;
        own += redactingUs(redact, json, part);
      }
      const [ours, redacting] = [whole / (part * PARTS), own / (part * PARTS)];
      return { ours, reference: ours - redacting, details: { redacting, bytes: json.length } };
    });
  });

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const redactionRow = (quick) => ({
  id: 'redaction',
  name: 'proxied call with 4 KB, processor, ÷ without redaction',
  unit: 'µs',
  judged: 'ratio',
  better: '<=',
  isOneBuild: true,
  measure: measure(quick ? 400 : 2_000),
});
