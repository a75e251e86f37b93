// Dies in the middle of a call while it is sick. Well, it answers after a while, and its log says when each start and each call began and ended.
import { isSick, log, serve, sleep, text } from './lines.mjs';

log(`start ${process.pid}`);
serve({
  call: async () => {
    if (isSick()) process.exit(7);
    log(`begin ${process.pid}`);
    await sleep(Number(process.env.SLOW_MS ?? 600));
    log(`end ${process.pid}`);
    return text('well');
  },
});
