// Dies in the middle of a call.
import { log, serve } from './lines.mjs';

serve({
  call: () => {
    log('called');
    process.stderr.write('panic: index out of range\n');
    process.exit(7);
  },
});
