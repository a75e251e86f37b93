// The folders that are searched for skills. If two skills have the same name, the skill in the earlier folder is listed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillPlace } from './scan.js';

/** The folders of a project that hold skills: for all agents, and for Claude. */
const PROJECT_FOLDERS = [join('.agents', 'skills'), join('.claude', 'skills')];

/** The folder of the skills that come with Colibri, beside src/ and dist/. */
const SHIPPED = fileURLToPath(new URL('../../../skills', import.meta.url));

export const skillPlaces = (
  skillsDir: string | undefined,
  projectDir: string | undefined,
  shipped = SHIPPED,
): readonly SkillPlace[] => [
  ...(skillsDir !== undefined
    ? [{ dir: skillsDir, within: skillsDir, expected: true }]
    : projectDir !== undefined
      ? PROJECT_FOLDERS.map((folder) => ({ dir: join(projectDir, folder), within: projectDir, expected: false }))
      : []),
  { dir: shipped, within: shipped, expected: true, isShipped: true },
];
