// Writes to stderr what a careless or hostile server writes: secrets, a private key in pieces, escape sequences, long lines.
import { serve, sleep, text } from './lines.mjs';

const KEY = ['-----BEGIN RSA PRIVATE KEY-----', ...Array.from({ length: 20 }, () => 'MIIEowIBAAKCAQEA'.repeat(4))];

process.stderr.write(`ready, using token=${process.env.API_TOKEN}\n`);
process.stderr.write(`plain words about ${process.env.PLAIN}\n`);
process.stderr.write(`\u001b[31mred\u001b[0m and \u001b]0;title\u0007 and \u202ebidi\r\nprogress 1\rprogress 2\n`);
process.stderr.write(`2026-01-01T00:00:00.000Z 1 * forged\n`);
serve({
  call: async ({ arguments: args }) => {
    if (args?.key) {
      process.stderr.write(`${KEY.join('\n')}\n`);
      await sleep(300);
      process.stderr.write('c2VjcmV0b2ZrZXk0711\n-----END RSA PRIVATE KEY-----\nafter the key\n');
    } else process.stderr.write(`${args?.say ?? 'x'.repeat(20_000)}\n`);
    return text('said');
  },
});
