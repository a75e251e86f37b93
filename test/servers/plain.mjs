// Behaves. Old era by hand; the tools are those of test/switchboard/link-contract.ts.
import { log, send, serve, text, tool } from './lines.mjs';

const tools = ['echo', 'fail', 'grow', 'hang', 'progress'].map(tool);
const hanging = new Set();

const calls = {
  echo: ({ arguments: args, _meta }) => text(JSON.stringify(args?.meta ? (_meta ?? {}) : (args ?? {}))),
  fail: () => {
    throw new Error('no such luck');
  },
  grow: () => {
    tools.push(tool(`extra${tools.length}`));
    send({ method: 'notifications/tools/list_changed' });
    return text('grown');
  },
  hang: (_params, id) => {
    hanging.add(id);
    log('hanging');
  },
  progress: ({ _meta }) => {
    const progressToken = _meta?.progressToken;
    for (let progress = 1; progress <= 3; progress++)
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    return text('done');
  },
};

serve({
  tools: () => tools,
  call: (params, id) => calls[params.name](params, id),
  onNotification: (method, params) => {
    if (method === 'notifications/cancelled' && hanging.delete(params.requestId)) log('cancelled');
  },
});
