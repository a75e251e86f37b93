// Stays when stdin ends and when it is asked to go.
import { log, serve } from './lines.mjs';

process.on('SIGTERM', () => log('SIGTERM'));
serve();
process.stdin.removeAllListeners('end');
process.stdin.on('end', () => log('stdin ended'));
setInterval(() => {}, 1_000);
