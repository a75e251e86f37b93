// Reports progress every 60 ms, `arguments.times` times, then answers.
import { send, serve, sleep, text } from './lines.mjs';

serve({
  call: async ({ arguments: { times = 10 } = {}, _meta }) => {
    for (let progress = 1; progress <= times; progress++) {
      await sleep(60);
      const params = { progressToken: _meta?.progressToken, progress, total: times, message: `step ${progress}` };
      send({ method: 'notifications/progress', params });
    }
    return text('done');
  },
});
