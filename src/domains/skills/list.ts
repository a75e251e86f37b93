// The tool skill_list: finds skills by text or capability, in pages.
import * as z from 'zod';
import { arg, defineTool, type Frozen } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { decodeCursor, encodeCursor, fitPage } from '../page.js';
import { cursorMeaning, limitMeaning, nextCursor, skillDigest, textField } from '../shapes.js';
import type { SkillCatalogue } from './catalogue.js';
import { SKILL_LIMITS } from './limits.js';
import type { Skill, SkillProblem } from './skill.js';
import type { Skills } from './skills.js';

const shortText = (most: number) => z.string().min(1).max(most);

const input = z.strictObject({
  search: arg(
    shortText(DOMAIN_LIMITS.searchChars).optional(),
    'A text to find in name or description; upper and lower case are treated alike.',
  ),
  capability: arg(shortText(DOMAIN_LIMITS.searchChars).optional(), 'Only skills that list this capability.'),
  limit: arg(z.int().min(1).max(DOMAIN_LIMITS.listRows).default(DOMAIN_LIMITS.listUsualRows), limitMeaning),
  cursor: arg(shortText(DOMAIN_LIMITS.cursorChars).optional(), cursorMeaning),
});
type ListArgs = z.infer<typeof input>;

const listedSkill = z.strictObject({
  name: textField,
  description: textField,
  version: textField.nullable(),
  license: textField.nullable(),
  compatibility: textField.nullable(),
  capabilities: z.array(textField).nullable(),
  allowed_tools: z.array(textField).nullable(),
  digest: skillDigest.nullable().describe('The digest over all files of the skill; null until it is computed.'),
  source: textField.describe('The path of its SKILL.md: read that file before you follow the skill.'),
});

const ROOM = DOMAIN_LIMITS.resultBytes - 2 * DOMAIN_LIMITS.cursorChars;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/**
 * The name of a page's last skill as code points, which the cursor holds. So the next page begins after that name even if skills were
 * added or removed.
 */
const numbersOf = (name: string): readonly number[] => [...name].map((char) => char.codePointAt(0) ?? 0);
const nameOf = (numbers: readonly number[]): string => String.fromCodePoint(...numbers);

const matches = ({ search, capability }: ListArgs): ((skill: Skill) => boolean) => {
  const words = search?.toLowerCase();
  return ({ name, description, capabilities }) =>
    (words === undefined || `${name}\n${description}`.toLowerCase().includes(words)) &&
    (capability === undefined || capabilities?.includes(capability) === true);
};

/** The first problems that fit into `roomBytes`, and how many were left out. */
const someProblems = (problems: readonly SkillProblem[], roomBytes: number): readonly SkillProblem[] => {
  let bytes = 0;
  const shown = problems.slice(0, SKILL_LIMITS.skillProblems).filter((problem) => {
    bytes += bytesOf(problem);
    return bytes <= roomBytes;
  });
  const left = problems.length - shown.length;
  return left === 0 ? shown : [...shown, { path: '', reason: `and ${left} more` }];
};

/** Replaces invalid Unicode in the path of a problem: a path on disk may hold it, a result may not. */
const readable = ({ path, reason }: SkillProblem): SkillProblem => ({ path: path.toWellFormed(), reason });

const listed =
  (catalogue: SkillCatalogue) =>
  (skill: Skill): Frozen<z.infer<typeof listedSkill>> => ({
    name: skill.name,
    description: skill.description,
    version: skill.version,
    license: skill.license,
    compatibility: skill.compatibility,
    capabilities: skill.capabilities,
    allowed_tools: skill.allowedTools,
    digest: catalogue.known(skill)?.digest ?? null,
    source: skill.source.toWellFormed(),
  });

export const skillList = defineTool({
  name: 'skill_list',
  title: 'List skills',
  description: 'Find instructions for a job; read their source first.',
  when: 'When you begin a kind of work for which somebody may have written instructions. Read the `source` before you follow one.',
  effect: 'read',
  ownSnapshots: true, // skills lie on disk, not in the store
  input,
  output: z.strictObject({
    skills: z.array(listedSkill),
    problems: z
      .array(z.strictObject({ path: textField, reason: textField }))
      .describe('What is wrong with skills that cannot be used; only with the first page.'),
    next_cursor: nextCursor,
  }),
  errors: {},
  examples: [{ args: { search: 'release' } }],
  run: async (args, _extra, of: Skills) => {
    const bound = { tool: 'skill_list', search: args.search ?? null, capability: args.capability ?? null };
    const after = args.cursor === undefined ? '' : nameOf(decodeCursor(bound, args.cursor));
    const catalogue = await of.catalogue();
    const { skills, problems } = await catalogue.current();
    const found = skills.filter(matches(args)).filter(({ name }) => name > after);
    const rows = found.slice(0, args.limit).map(listed(catalogue));
    const room = Math.min(SKILL_LIMITS.skillProblemBytes, ROOM - bytesOf(rows[0] ?? null));
    // Problems are shown only with the first page, because they are the same for every page.
    const shown = args.cursor === undefined ? someProblems(problems.map(readable), room) : [];
    const page = fitPage(rows, bytesOf(shown) + DOMAIN_LIMITS.cursorChars);
    const last = page.rows.at(-1);
    const more = last !== undefined && page.rows.length < found.length;
    return { skills: page.rows, problems: shown, next_cursor: more ? encodeCursor(bound, numbersOf(last.name)) : null };
  },
});
