// Lists the files of one skill's folder, within the bounds of limits.ts. Everything in the folder belongs to the skill, except hidden files.
import type { Dirent } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { entriesOf, isReadable, lookAtSkills, sayFault, skillStamp } from './disk.js';
import { CONTROL } from './frontmatter.js';
import { SKILL_LIMITS } from './limits.js';
import { type Skill, type SkillFile, Unfit } from './skill.js';

export type Tree = Pick<Skill, 'files' | 'stamp' | 'changedMs'>;

/** Orders files by the bytes of their paths, as `sort` does in the C locale on every system. */
const byBytes = (a: SkillFile, b: SkillFile): number => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));

/** Refuses a file name that would be ambiguous in the list that a skill's digest covers, or that cannot be part of a URI. */
const checkName = (name: string): void => {
  if (CONTROL.test(name) || name.includes('\\') || name.includes('\t') || name.includes('\n')) {
    throw new Unfit('a file name holds control characters or a backslash');
  }
  if (name.includes('\ufffd') || !name.isWellFormed()) throw new Unfit('a file name is not valid UTF-8');
};

class Walk {
  readonly #root: string;
  readonly #files: SkillFile[] = [];
  #folders = 0;
  #bytes = 0;
  #changedMs = 0;

  constructor(root: string) {
    this.#root = root;
  }

  tree(): Tree {
    const files = this.#files.sort(byBytes);
    const stamp = files.map((file) => `${file.path}\n${file.stamp}`).join('\n');
    return { files, changedMs: this.#changedMs, stamp };
  }

  async folder(path: string, depth: number): Promise<void> {
    this.#folders += 1;
    if (depth > SKILL_LIMITS.skillDepth)
      throw new Unfit(`its folders are nested deeper than ${SKILL_LIMITS.skillDepth}`);
    const entries = await entriesOf(join(this.#root, path), 2 * SKILL_LIMITS.skillFiles);
    if (entries === undefined || this.#folders > SKILL_LIMITS.skillFiles) throw tooMany();
    for (const entry of entries) {
      checkName(entry.name);
      await this.#entry(entry, path === '' ? entry.name : `${path}/${entry.name}`, depth);
    }
  }

  #entry(entry: Dirent, path: string, depth: number): Promise<void> {
    if (entry.isDirectory()) {
      if (path === 'SKILL.md') throw new Unfit('SKILL.md is a folder');
      return this.folder(path, depth + 1);
    }
    if (entry.isSymbolicLink()) return this.#link(path);
    if (!entry.isFile()) throw new Unfit(`${path} is neither a file nor a folder`);
    return this.#file(path, join(this.#root, path));
  }

  /** Adds the file that a link leads to. The file must be in the same skill's folder. */
  async #link(path: string): Promise<void> {
    let real: string;
    try {
      real = await realpath(join(this.#root, path));
    } catch (thrown) {
      throw new Unfit(`${path} leads nowhere: ${sayFault(thrown)}`);
    }
    if (!real.startsWith(this.#root + sep)) throw new Unfit(`${path} is a link that leads out of the skill`);
    await this.#file(path, real);
  }

  async #file(path: string, real: string): Promise<void> {
    const stats = await lookAtSkills(real);
    if (stats === undefined) throw new Unfit(`${path} was removed while it was read`);
    if (!(await isReadable(real))) throw new Unfit(`${path} cannot be read: no permission`);
    if (!stats.isFile()) throw new Unfit(`${path} is a link to something that is not a file`);
    const size = Number(stats.size);
    this.#bytes += size;
    this.#changedMs = Math.max(this.#changedMs, Number(stats.ctimeMs), Number(stats.mtimeMs));
    this.#files.push({ path, size, real, stamp: skillStamp(stats) });
    if (this.#files.length > SKILL_LIMITS.skillFiles) throw tooMany();
    if (this.#bytes > SKILL_LIMITS.skillBytes)
      throw new Unfit(`it is larger than ${SKILL_LIMITS.skillBytes / 1024 ** 2} MiB`);
  }
}

const tooMany = (): Unfit => new Unfit(`it has more than ${SKILL_LIMITS.skillFiles} files`);

/** Lists the files of a skill folder, whose path has no links. Throws Unfit, or the file system's error. */
export const walkFolder = async (root: string): Promise<Tree> => {
  const walk = new Walk(root);
  await walk.folder('', 0);
  return walk.tree();
};
