// Serves for a moment after its list was read, then exits.
import { serve, text, tool } from './lines.mjs';

serve({
  tools: () => {
    setTimeout(() => process.exit(1), Number(process.env.FLAP_MS ?? 300));
    return [tool('echo')];
  },
  call: () => text('quick'),
});
