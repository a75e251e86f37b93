// Registers skill_list, the only tool for skills.
import type { ColibriServerContext } from '../../call/context.js';
import { registerTools } from '../../call/registry.js';
import { skillList } from './list.js';
import type { Skills } from './skills.js';

export const registerSkillTools = (ctx: ColibriServerContext, skills: Skills): void =>
  registerTools(ctx, [skillList], skills);
