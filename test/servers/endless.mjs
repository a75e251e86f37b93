// Says more than anybody can use: LIST names a catalogue without an end, the tools answer with millions of values or ask without
// reading. Old era.
import { serve, text, tool } from './lines.mjs';

const members = (count) => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',');
const raw = (id, result) => process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);

/** Writes one line again and again for as long as the other side reads, and at most that long. */
const flood = (line, ms) =>
  new Promise((resolve) => {
    const lines = `${line}\n`.repeat(500);
    const until = Date.now() + ms;
    const more = () => {
      if (Date.now() > until) resolve();
      else if (process.stdout.write(lines)) setImmediate(more);
      else process.stdout.once('drain', more);
    };
    more();
  });

const calls = {
  wide: (_params, id) => raw(id, `{"content":[],${members(500_000)}}`),
  objects: (_params, id) => raw(id, `{"content":[],"x":[${'{},'.repeat(2_500_000)}{}]}`),
  // All of it is one value.
  text: () => text('x, "y": [1]\n'.repeat(600_000)),
  deaf: async () => {
    process.stdin.pause();
    await flood('{"jsonrpc":"2.0","id":"p","method":"ping"}', 4_000);
    process.exit(1);
  },
};

let page = 0;
const LISTS = {
  pages: () => ({
    tools: Array.from({ length: 900 }, (_, n) => ({ ...tool(`p${page}n${n}`), description: 'd'.repeat(9_000) })),
    nextCursor: `page ${++page}`,
  }),
  many: () => ({ tools: Array.from({ length: 20_000 }, (_, n) => ({ name: `t${n}`, inputSchema: {} })) }),
  long: () => ({ tools: [tool('short'), { ...tool('long'), description: 'd'.repeat(1_000_000) }] }),
  reference: () => ({
    tools: [
      {
        name: 'reference',
        inputSchema: { type: 'object', properties: { a: { $ref: `#${'/'.repeat(400_000)}` } } },
      },
    ],
  }),
};

serve({
  tools: Object.keys(calls).map(tool),
  call: (params, id) => (params.name in calls ? calls[params.name](params, id) : text('called')),
  answers: process.env.LIST ? { 'tools/list': LISTS[process.env.LIST] } : {},
});
