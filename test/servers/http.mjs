// An HTTP server for the servers in this folder: a free port, said on stdout, and Web requests made of Node's.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';

const requestOf = (incoming, outgoing) => {
  const over = new AbortController();
  outgoing.on('close', () => over.abort());
  const hasBody = incoming.method === 'POST';
  return new Request(`http://127.0.0.1${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    signal: over.signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  });
};

const write = async (response, outgoing) => {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return outgoing.end();
  outgoing.flushHeaders();
  for await (const chunk of response.body) if (!outgoing.destroyed) outgoing.write(chunk);
  outgoing.end();
};

/** `handle` takes a Request and gives a Response; `onEnd` runs when stdin has ended, before the process does. */
export const listen = (handle, onEnd) => {
  const server = createServer(async (incoming, outgoing) => {
    try {
      await write(await handle(requestOf(incoming, outgoing)), outgoing);
    } catch {
      outgoing.destroy();
    }
  });
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
    process.stdout.write(`port ${server.address().port}\n`),
  );
  process.stdin.resume().on('end', async () => {
    await onEnd?.();
    process.exit(0);
  });
};
