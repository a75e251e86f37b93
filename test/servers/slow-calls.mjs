// Answers a call after `arguments.ms`, or SLOW_MS.
import { isSick, serve, sleep, text } from './lines.mjs';

serve({
  call: async ({ arguments: { ms = Number(process.env.SLOW_MS ?? 500) } = {} }) => {
    if (isSick()) await sleep(ms);
    return text(ms);
  },
});
