// The two proof tools as clients see them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerColibriTool } from '../../call/registry.js';
import { finalizeInput, finalizeSession } from './finalize.js';
import { rootInput, sessionRoot } from './root.js';

export const registerProofTools = (ctx: ColibriServerContext): void => {
  registerColibriTool(
    ctx,
    'merkle_finalize',
    {
      errorPattern: 'B',
      title: 'Finalize session',
      description: 'Seal a session you opened, for good: it takes no more thoughts and gets a signed root.',
      inputSchema: finalizeInput,
      effect: 'write',
      sync: true,
      admittedIn: ['FULL', 'TEST'],
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    finalizeSession(() => ctx.signer),
  );
  registerColibriTool(
    ctx,
    'merkle_root',
    {
      errorPattern: 'B',
      title: 'Root and proof',
      description: 'Get the root of a sealed session, and the proof of one thought in it for somebody else.',
      inputSchema: rootInput,
      effect: 'read',
      admittedIn: ['FULL', 'TEST', 'READONLY'],
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    sessionRoot(ctx.mode),
  );
};
