// Answers calls under ids that nobody used, and twice.
import { isSick, send, serve, text } from './lines.mjs';

serve({
  call: (_params, id) => {
    if (!isSick()) return text('yours');
    send({ id: `${id}-other`, result: text('not yours') });
    send({ id: 123_456, result: text('not yours') });
  },
});
