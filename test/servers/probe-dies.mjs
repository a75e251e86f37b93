// As some old servers do: exits when its first request is not `initialize`.
import { serve } from './lines.mjs';

let greeted = false;
const first = (answer) => (params) => {
  greeted = true;
  return answer(params);
};
serve({
  answers: {
    'server/discover': () => {
      if (!greeted) process.exit(1);
    },
    initialize: first(() => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'old', version: '1.0' },
    })),
  },
});
