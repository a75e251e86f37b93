// Everything that crosses, on the SDK's own server: `legacy` or `modern` as the first argument is the only era it speaks.
import { completable, inputRequired, inputResponse, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { log, text } from './lines.mjs';

const anything = z.looseObject({});
const QUESTIONS = {
  elicit: () => inputRequired.elicit({ message: 'Well?', requestedSchema: z.object({ answer: z.string() }) }),
  sample: () =>
    inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: 'Say' } }], maxTokens: 9 }),
  roots: () => inputRequired.listRoots(),
};

const build = () => {
  const server = new McpServer(
    { name: 'crossing', version: '1.0' },
    {
      capabilities: {
        logging: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
      },
    },
  );
  const register = (name, run) => server.registerTool(name, { inputSchema: anything }, run);
  for (const [name, ask] of Object.entries(QUESTIONS))
    register(name, (_args, ctx) => {
      const given = ctx.mcpReq.inputResponses?.q;
      if (given === undefined) return inputRequired({ inputRequests: { q: ask() }, requestState: `state of ${name}` });
      return text(
        JSON.stringify({ given: inputResponse(ctx.mcpReq.inputResponses, 'q'), state: ctx.mcpReq.requestState() }),
      );
    });
  register('progress', async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 20; progress++)
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 20 } });
    return text('done');
  });
  register('hang', (_args, ctx) => {
    log('hanging');
    return new Promise(() => ctx.mcpReq.signal.addEventListener('abort', () => log('cancelled')));
  });
  register('say', async (_args, ctx) => {
    await ctx.mcpReq.log('debug', 'quiet');
    await ctx.mcpReq.log('warning', 'loud');
    return text('said');
  });
  register('link', () => ({ content: [{ type: 'resource_link', uri: 'hidden://treasure', name: 'treasure' }] }));
  register('grow', () => {
    register('grown', () => text('grown'));
    server.registerPrompt('grown', {}, () => ({ messages: [] }));
    server.registerResource('grown', 'test://grown', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'grown' }] }));
    return text('ok');
  });
  register('touch', async () => {
    await server.server.sendResourceUpdated({ uri: 'test://static' });
    return text('ok');
  });
  server.registerPrompt(
    'greet',
    {
      argsSchema: z.object({
        name: completable(z.string(), (value) => ['Ada', 'Alan'].filter((n) => n.startsWith(value))),
      }),
    },
    ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }] }),
  );
  server.registerResource('static', 'test://static', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'still' }],
  }));
  server.registerResource(
    'item',
    new ResourceTemplate('test://items/{id}', {
      list: undefined,
      complete: { id: (value) => ['1', '12'].filter((n) => n.startsWith(value)) },
    }),
    {},
    (uri, { id }) => ({ contents: [{ uri: uri.href, text: `item ${id}` }] }),
  );
  server.registerResource('treasure', new ResourceTemplate('hidden://{what}', { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'gold' }],
  }));
  return server;
};

if (process.argv[2] === 'modern') serveStdio(build, { legacy: 'reject' });
else {
  const server = build();
  for (const method of ['resources/subscribe', 'resources/unsubscribe'])
    server.server.setRequestHandler(method, ({ params }) => {
      log(`${method} ${params.uri}`);
      return {};
    });
  await server.connect(new StdioServerTransport());
}
