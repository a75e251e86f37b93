// Exits at once, with a word on stderr.
import { isSick, serve, text } from './lines.mjs';

if (isSick()) {
  process.stderr.write('starting up\nError: no licence found\n');
  process.exitCode = 3;
} else serve({ call: () => text('well') });
