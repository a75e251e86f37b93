// Every call has an effect: one line in its log.
import { log, serve, text } from './lines.mjs';

serve({
  call: ({ arguments: args }) => {
    log(`effect ${JSON.stringify(args ?? {})}`);
    return text('counted');
  },
});
