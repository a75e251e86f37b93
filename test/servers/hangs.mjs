// Starts and lists well, and never answers a call while it is sick. Pings are answered.
import { isSick, log, serve, text } from './lines.mjs';

serve({
  call: () => {
    log('called');
    if (!isSick()) return text('well');
  },
  onNotification: (method) => log(method),
});
