// Starts and lists well, and never answers a call. Pings are answered.
import { log, serve } from './lines.mjs';

serve({
  call: () => log('called'),
  onNotification: (method) => log(method),
});
