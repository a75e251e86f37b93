// A result of 50 MB, or HUGE_MB, the id in front or behind; `small` is small.
import { isSick, serve, text } from './lines.mjs';

const megabytes = Number(process.env.HUGE_MB ?? 50);
serve({
  call: ({ name }, id) => {
    if (name === 'small' || !isSick()) return text('small');
    const body = JSON.stringify(text('x'.repeat(megabytes * 1024 * 1024)));
    const [first, last] = name === 'behind' ? ['', `,"id":"${id}"`] : [`"id":"${id}",`, ''];
    process.stdout.write(`{"jsonrpc":"2.0",${first}"result":${body}${last}}\n`);
  },
});
