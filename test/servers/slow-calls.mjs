// Answers a call after `arguments.ms`.
import { serve, sleep, text } from './lines.mjs';

serve({
  call: async ({ arguments: { ms = 500 } = {} }) => {
    await sleep(ms);
    return text(ms);
  },
});
