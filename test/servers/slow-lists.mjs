// Reads nothing before SLOW_MS are over; then it has a tool, a prompt and a resource.
import { serve, sleep, text } from './lines.mjs';

await sleep(Number(process.env.SLOW_MS ?? 2_500));
const capabilities = { tools: {}, prompts: {}, resources: {} };
serve({
  call: () => text('well'),
  answers: {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities,
      serverInfo: { name: 'slow', version: '1.0' },
    }),
    'prompts/list': () => ({ prompts: [{ name: 'greet' }] }),
    'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] }),
    'resources/list': () => ({ resources: [{ uri: 'slow://one', name: 'one' }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'one' }] }),
    'completion/complete': () => ({ completion: { values: ['a'] } }),
  },
});
