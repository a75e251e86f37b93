// The skills as hosts see them through the MCP skills extension: only skills that follow the specification, because a host may reject the
// whole list for one skill that does not.

import { CORE_LIMITS } from '../../core/limits.js';
import { within } from '../../core/within.js';
import type { SkillCatalogue } from './catalogue.js';
import { readStart, skillStamp, withFile } from './disk.js';
import { SKILL_LIMITS } from './limits.js';
import type { Digest, Skill, SkillFile } from './skill.js';

export interface ShelvedSkill {
  readonly name: string;
  readonly description: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly files: readonly SkillFile[];
  /** The digests of the skill and of its files by path; undefined until they are computed. */
  readonly digests: { readonly digest: Digest; readonly files: ReadonlyMap<string, Digest> } | undefined;
}

export type FileContent = { readonly bytes: Buffer } | { readonly tooLarge: string };

export class SkillShelf {
  readonly #catalogue: SkillCatalogue;
  readonly #listeners = new Set<() => void>();
  #told: Promise<unknown> | undefined;

  constructor(catalogue: SkillCatalogue) {
    this.#catalogue = catalogue;
    catalogue.onChange(() => this.#tell());
  }

  /** The skills that are offered to hosts, sorted by name. */
  async skills(): Promise<readonly ShelvedSkill[]> {
    const { skills } = await this.#catalogue.current();
    const shelved = skills.filter(({ conforms }) => conforms).map((skill) => this.#shelve(skill));
    if (shelved.some(({ digests }) => digests === undefined)) this.#tellWhenDigested();
    return shelved;
  }

  /** One skill by its name, with its digests if they are computed within `skillDigestWaitMs`. */
  async skill(name: string): Promise<ShelvedSkill | undefined> {
    await within(this.#catalogue.digestOf(name), SKILL_LIMITS.skillDigestWaitMs);
    const skill = await this.#find(name);
    return skill && this.#shelve(skill);
  }

  /** Reads one file of a skill by its path. If the file changed since the scan, scans again and retries once. */
  async read(name: string, path: string): Promise<FileContent | undefined> {
    const content = await this.#read(name, path);
    if (content !== 'moved') return content;
    await this.#catalogue.refresh();
    const second = await this.#read(name, path);
    if (second === 'moved') throw new Error('The file is being changed. Read it again.');
    return second;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #shelve(skill: Skill): ShelvedSkill {
    const { name, description, frontmatter, files } = skill;
    return { name, description, frontmatter, files, digests: this.#catalogue.known(skill) };
  }

  async #find(name: string): Promise<Skill | undefined> {
    const skill = await this.#catalogue.find(name);
    return skill?.conforms === true ? skill : undefined;
  }

  async #read(name: string, path: string): Promise<FileContent | 'moved' | undefined> {
    const found = (await this.#find(name))?.files.find((file) => file.path === path);
    if (found === undefined) return undefined;
    const { real, size, stamp } = found;
    if (size > CORE_LIMITS.skillReadBytes) return { tooLarge: real };
    return withFile(real, async (file, stats) => {
      const bytes = skillStamp(stats) === stamp ? await readStart(file, size) : undefined;
      return bytes?.length === size ? { bytes } : 'moved';
    });
  }

  /** Notifies a host that got a list without digests, when the digests are computed. */
  #tellWhenDigested(): void {
    const digested = this.#catalogue.digested();
    if (this.#told === digested) return;
    this.#told = digested;
    void digested.then((all) => {
      if (all) this.#tell();
    });
  }

  #tell(): void {
    for (const tell of this.#listeners) tell();
  }
}
