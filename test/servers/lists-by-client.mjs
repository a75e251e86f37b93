// Lists a second tool for clients that can show forms, as some servers of protocol 2025-11-25 and older do.
import { serve, text, tool } from './lines.mjs';

let hasForms = false;
const serverInfo = { name: 'fake', version: '1.0' };

serve({
  tools: () => [tool('always'), ...(hasForms ? [tool('form')] : [])],
  call: ({ name }) => text(`${name} done`),
  answers: {
    initialize: ({ capabilities }) => {
      hasForms = capabilities?.elicitation !== undefined;
      return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
    },
  },
});
