// Dies in the middle of a call.
import { isSick, log, serve, text } from './lines.mjs';

serve({
  call: () => {
    log('called');
    if (!isSick()) return text('well');
    process.stderr.write('panic: index out of range\n');
    process.exit(7);
  },
});
