// Preloaded into a server (`--import`): how long its event loop stood still. The first SIGUSR2 begins, so that
// loading modules does not count; the second ends, so that closing the store does not. Written at exit, as JSON, to
// the file that BENCH_LOOP_FILE names.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 1;
const file = process.env.BENCH_LOOP_FILE;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
const inMs = (/** @type {number} */ nanoseconds) => nanoseconds / 1e6;

let signals = 0;
process.on('SIGUSR2', () => {
  signals += 1;
  if (signals === 1) delay.enable();
  else delay.disable();
});

process.on('exit', () => {
  if (file === undefined) return;
  const measured = delay.count > 0;
  writeFileSync(
    file,
    JSON.stringify(measured ? { maxMs: inMs(delay.max), p99Ms: inMs(delay.percentile(99)), ticks: delay.count } : {}),
  );
});
