// Refuses to be greeted.
import { serve } from './lines.mjs';

serve({
  answers: {
    initialize: () => {
      throw new Error('not today');
    },
  },
});
