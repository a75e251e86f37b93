// Lists the tools that stand in the file TOOLS, and says so when that file changes. Every call is a line in LOG, written before it is
// answered: the tool and its arguments. While the file TOOLS.wait is there, it does not start, and calls with `waits` are not answered.
import { existsSync, readFileSync, watchFile } from 'node:fs';
import { log, send, serve, sleep, text } from './lines.mjs';

const read = () => JSON.parse(readFileSync(process.env.TOOLS, 'utf8'));

const wait = async () => {
  while (existsSync(`${process.env.TOOLS}.wait`)) await sleep(20);
};

watchFile(process.env.TOOLS, { interval: 20 }, () => send({ method: 'notifications/tools/list_changed' }));

await wait();
serve({
  tools: read,
  call: async ({ name, arguments: args = {} }) => {
    log(`${name} ${JSON.stringify(args)}`);
    if (args.ms) await sleep(args.ms);
    if (args.waits) await wait();
    if (args.dies) process.exit(1);
    return text(`${name} done`);
  },
});
