// Preloaded into a server (`--import`): how many bytes its main thread allocated on the JavaScript heap. SIGUSR2 begins and ends a
// stretch in turns: what the heap grew by, and what each collection freed. The file that BENCH_HEAP_FILE names has
// all stretches so far, as JSON.
import { writeFileSync } from 'node:fs';
import { GCProfiler, getHeapStatistics } from 'node:v8';

const file = process.env.BENCH_HEAP_FILE;
/** @type {number[]} */
const stretches = [];
/** @type {{ profiler: GCProfiler, used: number } | undefined} */
let begun;

const used = () => getHeapStatistics().used_heap_size;

process.on('SIGUSR2', () => {
  if (begun === undefined) {
    const profiler = new GCProfiler();
    profiler.start();
    begun = { profiler, used: used() };
    return;
  }
  const grown = used() - begun.used;
  const collections = begun.profiler.stop().statistics;
  const freed = collections.map(
    ({ beforeGC, afterGC }) => beforeGC.heapStatistics.usedHeapSize - afterGC.heapStatistics.usedHeapSize,
  );
  stretches.push(freed.reduce((sum, bytes) => sum + bytes, grown));
  begun = undefined;
  if (file !== undefined) writeFileSync(file, JSON.stringify(stretches));
});
