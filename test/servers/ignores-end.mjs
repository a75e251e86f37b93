// Stays when stdin ends; leaves when it is asked to.
import { serve } from './lines.mjs';

serve();
process.stdin.removeAllListeners('end');
setInterval(() => {}, 1_000);
