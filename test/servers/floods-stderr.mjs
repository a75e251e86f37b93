// Writes 8 MB, or FLOOD_MB, to stderr before it answers a call: a pipe that nobody reads would stop it.
import { isSick, serve, text } from './lines.mjs';

const megabytes = Number(process.env.FLOOD_MB ?? 8);
serve({
  call: () => {
    if (!isSick()) return text('dry');
    for (let n = 0; n < megabytes; n++) process.stderr.write('x'.repeat(1_048_575).concat('\n'));
    process.stderr.write('the last word\n');
    return text('flooded');
  },
});
