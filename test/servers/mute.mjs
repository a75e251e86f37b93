// Never answers anything, `initialize` included.
import { isSick, serve, text } from './lines.mjs';

if (isSick()) {
  process.stderr.write('waiting for the database\n');
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
} else serve({ call: () => text('well') });
