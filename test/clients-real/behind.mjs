// The server behind Colibri: `echo` gives back its text, `wait` answers after `ms`. It reads nothing before START_MS are over.
import { serve, sleep, text } from '../servers/lines.mjs';

const tool = (name, description, property) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: property, required: Object.keys(property), additionalProperties: false },
});

const CALLS = {
  echo: async ({ text: given }) => text(`echo: ${given}`),
  wait: async ({ ms }) => {
    await sleep(ms);
    return text(`waited ${ms}`);
  },
};

await sleep(Number(process.env.START_MS ?? 0));
serve({
  tools: [
    tool('echo', 'Gives back the text.', { text: { type: 'string' } }),
    tool('wait', 'Answers after so many milliseconds.', { ms: { type: 'number' } }),
  ],
  call: ({ name, arguments: args }) => CALLS[name](args),
});
