// Answers every call after 600 ms.
import { serve, sleep, text, tool } from './lines.mjs';

serve({
  tools: [tool('late')],
  call: async () => {
    await sleep(600);
    return text('late');
  },
});
