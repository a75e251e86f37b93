// One of several that can do the same: `act` has an effect, `look` has none. Every call is one line in its log, written before
// it is answered.
import { log, serve, sleep, text, tool } from './lines.mjs';

const [, , name = 'provider'] = process.argv;
const inputSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, no: { type: 'boolean' } },
  required: ['id'],
};

serve({
  tools: [
    { ...tool('act'), inputSchema },
    { ...tool('look'), inputSchema, annotations: { readOnlyHint: true } },
  ],
  call: async ({ name: called, arguments: args }) => {
    log(`${called} ${args.id}`);
    await sleep(Math.random() * 20);
    return { ...text(`${name} ${args.id}`), ...(args.no && { isError: true }) };
  },
});
