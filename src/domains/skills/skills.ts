// The skills as the rest of the process uses them. No module is loaded and no file read before the first request, because most processes
// never use skills and the start of the process must not wait for them.
import type { SkillCatalogue, SkillInForce } from './catalogue.js';
import type { FileContent, ShelvedSkill, SkillShelf } from './shelf.js';

export interface SkillsOptions {
  readonly skillsDir: string | undefined;
  readonly projectDir: string | undefined;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** The Unix time in milliseconds, to compare with the times of files. */
  readonly wallMs: () => number;
}

interface Loaded {
  readonly catalogue: SkillCatalogue;
  readonly shelf: SkillShelf;
}

export class Skills {
  readonly #options: SkillsOptions;
  readonly #listeners = new Set<() => void>();
  #loading: Promise<Loaded> | undefined;

  constructor(options: SkillsOptions) {
    this.#options = options;
  }

  async catalogue(): Promise<SkillCatalogue> {
    return (await this.#load()).catalogue;
  }

  /** The name and the digest of a skill, as a thought's record holds them. */
  async resolveSkill(name: string): Promise<SkillInForce | undefined> {
    return (await this.catalogue()).resolveSkill(name);
  }

  // The functions below serve hosts, through the MCP skills extension.

  async skills(): Promise<readonly ShelvedSkill[]> {
    return (await this.#load()).shelf.skills();
  }

  async skill(name: string): Promise<ShelvedSkill | undefined> {
    return (await this.#load()).shelf.skill(name);
  }

  async read(name: string, path: string): Promise<FileContent | undefined> {
    return (await this.#load()).shelf.read(name, path);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    void this.#loading?.then(({ catalogue }) => catalogue.close());
  }

  #load(): Promise<Loaded> {
    this.#loading ??= this.#open();
    return this.#loading;
  }

  async #open(): Promise<Loaded> {
    const [{ SkillCatalogue }, { SkillShelf }, { skillPlaces }] = await Promise.all([
      import('./catalogue.js'),
      import('./shelf.js'),
      import('./places.js'),
    ]);
    const { skillsDir, projectDir, nowMs, wallMs } = this.#options;
    const catalogue = new SkillCatalogue({ places: skillPlaces(skillsDir, projectDir), nowMs, wallMs });
    const shelf = new SkillShelf(catalogue);
    shelf.onChange(() => {
      for (const tell of this.#listeners) tell();
    });
    return { catalogue, shelf };
  }
}
