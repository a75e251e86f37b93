// The skills as the rest of the process uses them. No module is loaded and no file read before the first request, because most processes
// never use skills and the start of the process must not wait for them.

import { within } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import type { SkillCatalogue, SkillInForce } from './catalogue.js';
import { SKILL_LIMITS } from './limits.js';
import type { Skill, SkillDigests } from './skill.js';

export interface SkillsOptions {
  readonly skillsDir: string | undefined;
  readonly projectDir: string | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** The Unix time in milliseconds, to compare with the times of files. */
  readonly wallMs: () => number;
}

/** A skill as hosts see it; its digests are undefined until they are computed. */
type ShelvedSkill = Skill & { readonly digests: SkillDigests | undefined };
type FileContent = { readonly bytes: Buffer } | { readonly tooLarge: string };

export class Skills {
  readonly #options: SkillsOptions;
  readonly #listeners = new Set<() => void>();
  #loading: Promise<SkillCatalogue> | undefined;
  #told: Promise<unknown> | undefined;

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  catalogue(): Promise<SkillCatalogue> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** The name and the digest of a skill, as a thought's record holds them. */
  async resolveSkill(name: string): Promise<SkillInForce | undefined> {
    return (await this.catalogue()).resolveSkill(name);
  }

  // The functions below serve hosts, through the MCP skills extension. They offer only skills that follow the specification, because
  // a host may reject the whole list for one skill that does not.

  /** The skills that are offered to hosts, sorted by name. */
  async skills(): Promise<readonly ShelvedSkill[]> {
    const catalogue = await this.catalogue();
    const { skills } = await catalogue.current();
    const shelved = skills
      .filter(({ conforms }) => conforms)
      .map((skill) => ({ ...skill, digests: catalogue.known(skill) }));
    if (shelved.some(({ digests }) => digests === undefined)) this.#tellWhenDigested(catalogue.digested());
    return shelved;
  }

  /** One skill by its name, with its digests if they are computed within `skillDigestWaitMs`. */
  async skill(name: string): Promise<ShelvedSkill | undefined> {
    const catalogue = await this.catalogue();
    await within(catalogue.digestOf(name), SKILL_LIMITS.skillDigestWaitMs);
    const skill = await catalogue.find(name);
    return skill?.conforms === true ? { ...skill, digests: catalogue.known(skill) } : undefined;
  }

  /** Reads one file of a skill by its path. If the file changed since the scan, scans again and retries once. */
  async read(name: string, path: string): Promise<FileContent | undefined> {
    const content = await this.#read(name, path);
    if (content !== 'moved') return content;
    await (await this.catalogue()).refresh();
    const second = await this.#read(name, path);
    if (second === 'moved') throw new Error('The file is being changed. Read it again.');
    return second;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    void this.#loading?.then((catalogue) => catalogue.close());
  }

  async #read(name: string, path: string): Promise<FileContent | 'moved' | undefined> {
    const skill = await (await this.catalogue()).find(name);
    const found = skill?.conforms === true ? skill.files.find((file) => file.path === path) : undefined;
    if (found === undefined) return undefined;
    const { real, size, stamp } = found;
    if (size > CORE_LIMITS.skillReadBytes) return { tooLarge: real };
    const { readStart, skillStamp, withFile } = await import('./disk.js');
    return withFile(real, async (file, stats) => {
      const bytes = skillStamp(stats) === stamp ? await readStart(file, size) : undefined;
      return bytes?.length === size ? { bytes } : 'moved';
    });
  }

  /** Notifies a host that got a list without digests, when the digests are computed. */
  #tellWhenDigested(digested: Promise<boolean>): void {
    if (this.#told === digested) return;
    this.#told = digested;
    void digested.then((all) => all && this.#tell());
  }

  #tell(): void {
    for (const tell of this.#listeners) tell();
  }

  async #load(): Promise<SkillCatalogue> {
    const { SkillCatalogue, skillPlaces } = await import('./catalogue.js');
    const { skillsDir, projectDir, nowMs, wallMs } = this.#options;
    const catalogue = new SkillCatalogue({ places: skillPlaces(skillsDir, projectDir), nowMs, wallMs });
    catalogue.onChange(() => this.#tell());
    return catalogue;
  }
}
