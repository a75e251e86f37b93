// Answers calls under ids that nobody used, and twice.
import { send, serve, text } from './lines.mjs';

serve({
  call: (_params, id) => {
    send({ id: `${id}-other`, result: text('not yours') });
    send({ id: 123_456, result: text('not yours') });
  },
});
