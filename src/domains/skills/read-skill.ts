// Reads one folder into a skill, or into the problem that says why the folder is not a skill.
import { basename, join } from 'node:path';
import { readStart, sayFault, withFile } from './disk.js';
import { cutChars, readFields } from './fields.js';
import { type Tree, walkFolder } from './folder.js';
import { parseFrontmatter, splitHead } from './frontmatter.js';
import { SKILL_LIMITS } from './limits.js';
import { type Skill, type SkillFile, type SkillProblem, Unfit } from './skill.js';

export interface FolderReading {
  readonly folder: string;
  readonly skill: Skill | undefined;
  readonly problem: SkillProblem | undefined;
  /** A text that changes whenever a file of the folder changes; undefined if the folder could not be listed. */
  readonly stamp: string | undefined;
  /** True if nothing in the folder changed for a while, so that the same stamp means the same bytes. */
  readonly settled: boolean;
  /** The time since which the folder cannot be read, in monotonic milliseconds; set while the skill from before is still listed. */
  readonly badSinceMs?: number;
}

const problemOf = (path: string, reason: string): SkillProblem => {
  const begin = cutChars(reason, SKILL_LIMITS.problemChars);
  return { path, reason: begin === reason ? reason : `${begin}…` };
};

export const skipped = (path: string, thrown: unknown): SkillProblem =>
  problemOf(path, `skipped: ${sayFault(thrown)}`.toWellFormed());

/** Decodes SKILL.md as UTF-8. If only the beginning was read (`whole` is false), the decoder ignores an incomplete last character. */
const decode = (bytes: Buffer, whole: boolean): string => {
  if (bytes.includes(0)) throw new Unfit('SKILL.md is binary');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });
  } catch {
    throw new Unfit('SKILL.md is not valid UTF-8');
  }
};

const readHead = ({ real }: SkillFile) =>
  withFile(real, async (file, { size }) => {
    const bytes = await readStart(file, Math.min(Number(size), SKILL_LIMITS.skillHeadBytes));
    const whole = Number(size) <= SKILL_LIMITS.skillHeadBytes;
    return splitHead(decode(bytes, whole), whole);
  });

const manifestOf = (tree: Tree): SkillFile => {
  const manifest = tree.files.find(({ path }) => path === 'SKILL.md');
  if (manifest !== undefined) return manifest;
  const near = tree.files.find(({ path }) => path.toLowerCase() === 'skill.md');
  throw new Unfit(near === undefined ? 'it has no SKILL.md' : `its file must be called SKILL.md, not ${near.path}`);
};

const readTree = async (folder: string, tree: Tree): Promise<Pick<FolderReading, 'skill' | 'problem'>> => {
  const source = join(folder, 'SKILL.md');
  try {
    const head = await readHead(manifestOf(tree));
    const front = parseFrontmatter(head.yaml);
    const { fields, notes, conforms } = readFields(front, basename(folder));
    const all = [
      ...notes,
      ...(head.hasBom ? ['it begins with a byte order mark, which some clients do not skip'] : []),
      ...(head.hasBody ? [] : ['it has no instructions below the frontmatter']),
    ];
    return {
      skill: { ...fields, frontmatter: front.value, conforms, folder, source, ...tree },
      problem: all.length === 0 ? undefined : problemOf(source, `listed, but ${all.join('; ')}`),
    };
  } catch (thrown) {
    return { skill: undefined, problem: skipped(source, thrown) };
  }
};

/** Reads a skill folder, whose path has no links. Returns the earlier reading `known` if no file changed since. The promise never rejects. */
export const readSkill = async (
  folder: string,
  known: FolderReading | undefined,
  wallMs: number,
): Promise<FolderReading> => {
  try {
    const tree = await walkFolder(folder);
    if (known?.settled === true && known.stamp === tree.stamp) return known;
    const { stamp, changedMs } = tree;
    return { folder, ...(await readTree(folder, tree)), stamp, settled: changedMs < wallMs - SKILL_LIMITS.fileTickMs };
  } catch (thrown) {
    return { folder, skill: undefined, problem: skipped(folder, thrown), stamp: undefined, settled: false };
  }
};
