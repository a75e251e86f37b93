// What a reader must know of the machine to judge the numbers.
import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';

/** statfs(2), f_type. */
const TMPFS = 0x01021994;

/** Where a sync costs nothing, full durability costs nothing either. */
export const tempIsMemory = () => statfsSync(tmpdir()).type === TMPFS;

export const machineFacts = () => ({
  node: process.version,
  platform: `${process.platform} ${release()} ${process.arch}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryMb: Math.round(totalmem() / 2 ** 20),
  temp: { folder: tmpdir(), inMemory: tempIsMemory() },
});

/** Load averages over 1, 5 and 15 minutes. */
export const load = () => loadavg().map((value) => Number(value.toFixed(2)));
