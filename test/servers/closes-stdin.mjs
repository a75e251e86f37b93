// Answers its first call, closes its input after it, and stays.
import { closeSync } from 'node:fs';
import { serve, text } from './lines.mjs';

serve({
  call: () => {
    process.stdin.removeAllListeners('end');
    setTimeout(() => {
      // Node keeps the descriptor of a destroyed stdin.
      process.stdin.destroy();
      closeSync(0);
    }, 50);
    setTimeout(() => process.exit(0), 20_000);
    return text('deaf from now on');
  },
});
