// Closes its output and stays.
import { serve, text } from './lines.mjs';

serve({
  call: () => {
    process.stdout.end();
    setInterval(() => {}, 1_000);
  },
  answers: { note: () => text('') },
});
process.stdout.on('finish', () => import('node:fs').then(({ closeSync }) => closeSync(1)));
