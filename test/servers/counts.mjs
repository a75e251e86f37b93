// Every call has an effect: one line in its log. The answer comes after `ms` milliseconds, if the caller asks for that.
import { log, serve, sleep, text } from './lines.mjs';

serve({
  call: async ({ arguments: args }) => {
    log(`effect ${JSON.stringify(args ?? {})}`);
    if (args?.ms > 0) await sleep(args.ms);
    return text('counted');
  },
});
