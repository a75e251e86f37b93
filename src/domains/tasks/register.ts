// Registers the five task tools, in the order in which clients list them.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { taskCreate } from './create.js';
import { taskGet } from './get.js';
import { taskList } from './list.js';
import { taskNextActions } from './next-actions.js';
import { taskUpdate } from './update.js';
import type { AskCurrent } from './whose.js';

export const registerTaskTools = (ctx: ColibriServerContext, current: AskCurrent): void =>
  registerTools(ctx, [taskCreate, taskGet, taskUpdate, taskList, taskNextActions], { current, mode: ctx.mode });
