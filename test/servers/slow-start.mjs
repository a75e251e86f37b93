// Reads nothing before SLOW_MS are over, 2.5 s unless told otherwise. SLOW_ERA=modern: of the new era.
import { contractServer } from './contract-tools.mjs';
import { serve, sleep } from './lines.mjs';

await sleep(Number(process.env.SLOW_MS ?? 2_500));
if (process.env.SLOW_ERA === 'modern') {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(() => contractServer(), { legacy: 'reject' });
} else serve();
