// Registers the two proof tools, in the order in which clients list them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { merkleFinalize } from './finalize.js';
import { merkleRoot } from './root.js';

export const registerProofTools = (ctx: ColibriServerContext): void =>
  registerTools(ctx, [merkleFinalize, merkleRoot], ctx);
