// Prints on stdout what belongs on stderr: banners, half lines, JSON that is no JSON-RPC, bytes that are no text.
import { isSick, serve, text } from './lines.mjs';

if (isSick()) process.stdout.write('*** Welcome to the server ***\n[1,2,3]\n{"level":"info"}\nnull\n\n');
serve({
  call: () => {
    if (!isSick()) return text('done');
    process.stdout.write('DEBUG calling\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
    return text('done');
  },
});
