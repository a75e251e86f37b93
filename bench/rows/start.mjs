// What starting costs whoever starts us: time until `initialize` is answered, and memory once all is quiet.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { alternating, median, Unavailable } from '../rounds.mjs';
import { inFolder, start, withServer } from '../servers.mjs';

const IDLE_MS = 1_000;

/** @param {import('../servers.mjs').Kind} kind */
const startOnce = (kind) =>
  inFolder(async (folder) => {
    const began = performance.now();
    const client = start(kind, folder);
    try {
      await client.initialize();
      return performance.now() - began;
    } finally {
      await client.close();
    }
  });

/** @param {import('../servers.mjs').Kind} kind @param {number} starts */
const startSide = (kind, starts) => async () => {
  const timesMs = [];
  for (let i = 0; i < starts; i++) timesMs.push(await startOnce(kind));
  return { value: median(timesMs), details: { timesMs } };
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const startRow = (quick) => {
  const starts = quick ? 2 : 5;
  return {
    id: 'start',
    name: 'start to initialize answered, ÷ bare',
    unit: 'ms',
    judged: 'ratio',
    better: '<=',
    ...alternating(startSide('ours', starts), startSide('bare', starts)),
  };
};

/** @param {number | undefined} pid */
const residentMb = (pid) => {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kb === undefined) throw new Unavailable('/proc/<pid>/status has no VmRSS');
  return Number(kb) / 1024;
};

/** @param {import('../servers.mjs').Kind} kind */
const memorySide = (kind) => async () => {
  if (!existsSync('/proc/self/status')) throw new Unavailable('this system has no /proc');
  return inFolder((folder) =>
    withServer(kind, folder, {}, async (client) => {
      await sleep(IDLE_MS);
      return { value: residentMb(client.pid) };
    }),
  );
};

/** @returns {import('../rounds.mjs').Row} */
export const memoryRow = () => ({
  id: 'memory',
  name: 'idle resident memory, ÷ bare',
  unit: 'MB',
  judged: 'ratio',
  better: '<=',
  ...alternating(memorySide('ours'), memorySide('bare')),
});
