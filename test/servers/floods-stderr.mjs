// Writes 8 MB to stderr before it answers a call: a pipe that nobody reads would stop it.
import { serve, text } from './lines.mjs';

serve({
  call: () => {
    for (let n = 0; n < 8; n++) process.stderr.write('x'.repeat(1_048_575).concat('\n'));
    process.stderr.write('the last word\n');
    return text('flooded');
  },
});
