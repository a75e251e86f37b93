// A result of 50 MB, the id in front or behind; `small` is small.
import { serve, text } from './lines.mjs';

serve({
  call: ({ name }, id) => {
    if (name === 'small') return text('small');
    const body = JSON.stringify(text('x'.repeat(50 * 1024 * 1024)));
    const [first, last] = name === 'behind' ? ['', `,"id":"${id}"`] : [`"id":"${id}",`, ''];
    process.stdout.write(`{"jsonrpc":"2.0",${first}"result":${body}${last}}\n`);
  },
});
