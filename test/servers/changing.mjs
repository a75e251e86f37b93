// Lists the tools that stand in the file TOOLS, and says so when that file changes. Every call is a line in LOG, written before it is
// answered: the tool and its arguments.
import { readFileSync, watchFile } from 'node:fs';
import { log, send, serve, sleep, text } from './lines.mjs';

const read = () => JSON.parse(readFileSync(process.env.TOOLS, 'utf8'));

watchFile(process.env.TOOLS, { interval: 20 }, () => send({ method: 'notifications/tools/list_changed' }));

serve({
  tools: read,
  call: async ({ name, arguments: args = {} }) => {
    log(`${name} ${JSON.stringify(args)}`);
    if (args.ms) await sleep(args.ms);
    return text(`${name} done`);
  },
});
