// Behaves, and says of every call that it came twice: to see that whoever counts effects can count.
import { arrived, serve, text } from './lines.mjs';

serve({
  call: ({ _meta }) => {
    arrived(_meta);
    return text('once');
  },
});
