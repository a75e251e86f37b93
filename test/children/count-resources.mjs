// Preloaded into a process: on SIGUSR2 it writes what it holds into the file named by RESOURCES. Timers are counted whether
// they keep the process alive or not, which process.getActiveResourcesInfo() does not.
import { createHook } from 'node:async_hooks';
import { renameSync, writeFileSync } from 'node:fs';

const COUNTED = new Set([
  'Timeout',
  'Immediate',
  'PROCESSWRAP',
  'PIPEWRAP',
  'TCPWRAP',
  'STATWATCHER',
  'FSEVENTWRAP',
  'SIGNALWRAP',
]);
const living = new Map();

createHook({
  init: (id, type) => void (COUNTED.has(type) && living.set(id, type)),
  destroy: (id) => void living.delete(id),
}).enable();

const counts = (kinds) => {
  const count = {};
  for (const kind of kinds) count[kind] = (count[kind] ?? 0) + 1;
  return count;
};

let asked = 0;
process.on('SIGUSR2', () => {
  const file = process.env.RESOURCES;
  const seen = { asked: ++asked, living: counts(living.values()), active: counts(process.getActiveResourcesInfo()) };
  writeFileSync(`${file}.new`, JSON.stringify(seen));
  renameSync(`${file}.new`, file);
});
