// Closes its input at its first call, answers it, and stays.
import { closeSync } from 'node:fs';
import { serve, text } from './lines.mjs';

serve({
  call: () => {
    process.stdin.removeAllListeners('end');
    // Node keeps the descriptor of a destroyed stdin.
    process.stdin.destroy();
    closeSync(0);
    setTimeout(() => process.exit(0), 20_000);
    return text('deaf from now on');
  },
});
