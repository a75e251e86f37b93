// Says the text that it is given: as a result, as one with isError, as an error of the protocol, or on stderr before it dies in the middle of the
// call. Reads nothing before START_MS are over.
import { serve, sleep, tool } from './lines.mjs';

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };

if (process.env.START_MS) await sleep(Number(process.env.START_MS));
serve({
  tools: ['answer', 'fail', 'refuse', 'die'].map((name) => ({ ...tool(name), inputSchema })),
  call: ({ name, arguments: { text } }) => {
    if (name === 'answer') return { content: [{ type: 'text', text }] };
    if (name === 'fail') return { content: [{ type: 'text', text }], isError: true };
    if (name === 'refuse') throw Object.assign(new Error(text), { data: { text } });
    process.stderr.write(`starting the work\n${text}\n`, () => process.exit(7));
    return new Promise(() => {});
  },
});
