// Declares no tools at all.
import { serve } from './lines.mjs';

serve({
  answers: {
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'n', version: '1' } }),
    'tools/list': () => {
      throw new Error('nobody should ask');
    },
  },
});
