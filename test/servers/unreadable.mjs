// Answers a call with the line it was called with, in Latin-1; ID stands for the id of the call. `die` ends in the middle of it.
import { serve } from './lines.mjs';

serve({
  call: ({ name, arguments: { line } }, id) => {
    const text = line.replace('ID', JSON.stringify(id));
    if (name === 'die') process.stdout.write(text, () => process.exit(1));
    else process.stdout.write(Buffer.from(`${text}\n`, 'latin1'));
  },
});
