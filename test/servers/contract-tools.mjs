// The tools of test/switchboard/link-contract.ts on the SDK's own server, for both carriers of the new era and for HTTP.
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { arrived, log, text } from './lines.mjs';

const anything = z.looseObject({});

/** Tools that `grow` added: over HTTP the new era makes a server for every request. */
const grown = [];

/** `onGrow`: tells those who listen, where the server itself has no way to. */
export const contractServer = (onGrow) => {
  const server = new McpServer({ name: 'contract', version: '1.0' }, { instructions: 'Be kind.' });
  const register = (name, run) => server.registerTool(name, { inputSchema: anything }, run);
  register('echo', (args, ctx) => {
    arrived(ctx.mcpReq._meta);
    return text(JSON.stringify(args.meta ? (ctx.mcpReq._meta ?? {}) : args));
  });
  register('fail', () => {
    throw new Error('no such luck');
  });
  register('grow', () => {
    const name = `extra${grown.length}`;
    grown.push(name);
    register(name, () => text(name));
    if (typeof onGrow === 'function') onGrow();
    return text('grown');
  });
  register('hang', (_args, ctx) => {
    log('hanging');
    return new Promise(() => ctx.mcpReq.signal.addEventListener('abort', () => log('cancelled')));
  });
  register('progress', async (_args, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 3; progress++)
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
    return text('done');
  });
  for (const name of grown) register(name, () => text(name));
  return server;
};
