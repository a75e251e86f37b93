// Answers a call with the line it was called with, in Latin-1; ID stands for the id of the call.
import { serve } from './lines.mjs';

serve({
  call: ({ arguments: { line } }, id) => {
    process.stdout.write(Buffer.from(`${line.replace('ID', JSON.stringify(id))}\n`, 'latin1'));
  },
});
