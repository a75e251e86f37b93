// Asks the client in the middle of a call: `name` is the method; the answer is the result.
import { send, serve, text } from './lines.mjs';

const waiting = new Map();
let last = 0;
process.stdin.on('data', (chunk) => {
  for (const line of chunk.toString().split('\n').filter(Boolean)) {
    const { id, method, result, error } = JSON.parse(line);
    if (method === undefined) waiting.get(id)?.(result ?? error);
  }
});
serve({
  call: async ({ name, arguments: params }) => {
    const id = `ask${++last}`;
    send({ id, method: name, params: params ?? {} });
    return text(JSON.stringify(await new Promise((resolve) => waiting.set(id, resolve))));
  },
});
