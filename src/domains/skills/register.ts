// skill_list as clients see it.
import type { ColibriServerContext } from '../../call/context.js';
import { registerColibriTool } from '../../call/registry.js';
import { listInput, listSkills } from './list.js';
import type { Skills } from './skills.js';

export const registerSkillTools = (ctx: ColibriServerContext, skills: Skills): void => {
  registerColibriTool(
    ctx,
    'skill_list',
    {
      errorPattern: 'A',
      title: 'List skills',
      description: 'Find instructions for a job; read their source first.',
      inputSchema: listInput,
      effect: 'read',
      ownSnapshots: true, // skills lie on disk, not in the store
      admittedIn: ['FULL', 'TEST', 'READONLY'],
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    listSkills(() => skills.catalogue()),
  );
};
