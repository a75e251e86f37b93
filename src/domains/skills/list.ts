// skill_list
import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import type { SkillCatalogue } from './catalogue.js';
import { SKILL_LIMITS } from './limits.js';
import type { Digest, Skill, SkillProblem } from './skill.js';

/** Refinements, not bounds: they would cost every client bytes. */
const textField = (max: number) =>
  z.string().refine((text) => text !== '' && text.length <= max, { error: `1 to ${max} characters` });

export const listInput = z.strictObject({
  search: textField(DOMAIN_LIMITS.searchChars).optional(),
  capability: textField(DOMAIN_LIMITS.searchChars).optional(),
  limit: z
    .int()
    .refine((limit) => limit >= 1 && limit <= DOMAIN_LIMITS.listRows, { error: `1 to ${DOMAIN_LIMITS.listRows}` })
    .default(DOMAIN_LIMITS.listUsualRows),
  cursor: textField(DOMAIN_LIMITS.cursorChars).optional(),
});
type ListArgs = z.infer<typeof listInput>;

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly capabilities: readonly string[] | null;
  readonly allowed_tools: readonly string[] | null;
  /** Null until it is made. */
  readonly digest: Digest | null;
  readonly source: string;
}

export interface SkillList {
  readonly skills: readonly ListedSkill[];
  readonly problems: readonly SkillProblem[];
  readonly next_cursor: string | null;
}

const ROOM = DOMAIN_LIMITS.resultBytes - 2 * DOMAIN_LIMITS.cursorChars;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** Cursors hold numbers: those of the characters of the last name, so that a list that changes goes on at its place. */
const numbersOf = (name: string): readonly number[] => [...name].map((char) => char.codePointAt(0) ?? 0);
const nameOf = (numbers: readonly number[]): string => String.fromCodePoint(...numbers);

const matches = ({ search, capability }: ListArgs): ((skill: Skill) => boolean) => {
  const words = search?.toLowerCase();
  return ({ name, description, capabilities }) =>
    (words === undefined || `${name}\n${description}`.toLowerCase().includes(words)) &&
    (capability === undefined || capabilities?.includes(capability) === true);
};

/** The first ones that fit; what is left out is counted. */
const someProblems = (problems: readonly SkillProblem[], roomBytes: number): readonly SkillProblem[] => {
  let bytes = 0;
  const shown = problems.slice(0, SKILL_LIMITS.skillProblems).filter((problem) => {
    bytes += bytesOf(problem);
    return bytes <= roomBytes;
  });
  const left = problems.length - shown.length;
  return left === 0 ? shown : [...shown, { path: '', reason: `and ${left} more` }];
};

/** A path is what it is on disk; in an answer it must be text. */
const readable = ({ path, reason }: SkillProblem): SkillProblem => ({ path: path.toWellFormed(), reason });

const listed =
  (catalogue: SkillCatalogue) =>
  (skill: Skill): ListedSkill => ({
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

export const listSkills =
  (open: () => Promise<SkillCatalogue>) =>
  async (args: ListArgs): Promise<SkillList> => {
    const bound = { tool: 'skill_list', search: args.search ?? null, capability: args.capability ?? null };
    const after = args.cursor === undefined ? '' : nameOf(decodeCursor(bound, args.cursor));
    const catalogue = await open();
    const { skills, problems } = await catalogue.current();
    const found = skills.filter(matches(args)).filter(({ name }) => name > after);
    const rows = found.slice(0, args.limit).map(listed(catalogue));
    const room = Math.min(SKILL_LIMITS.skillProblemBytes, ROOM - bytesOf(rows[0] ?? null));
    // Only with the first page: they are the same for all.
    const shown = args.cursor === undefined ? someProblems(problems.map(readable), room) : [];
    const page = fitPage(rows, bytesOf(shown) + DOMAIN_LIMITS.cursorChars);
    const last = page.rows.at(-1);
    const more = last !== undefined && page.rows.length < found.length;
    return { skills: page.rows, problems: shown, next_cursor: more ? encodeCursor(bound, numbersOf(last.name)) : null };
  };
