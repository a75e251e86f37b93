// The types of skills and their files. They are values: each describes what was on disk at one moment.

/** One file of a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  readonly size: number;
  /** The path that is read: for a link inside the skill, its target. */
  readonly real: string;
  /** Changes whenever the file changes: device, inode, size, times. */
  readonly stamp: string;
}

/** The fields of its frontmatter, cut to their bounds; absent values are null. */
export interface SkillFields {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly capabilities: readonly string[] | null;
  readonly allowedTools: readonly string[] | null;
}

export interface Skill extends SkillFields {
  /** The frontmatter as it stands, for hosts. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** Whether it follows every rule of the specification. Hosts may reject a whole list for one skill that does not. */
  readonly conforms: boolean;
  /** Its folder, links resolved. */
  readonly folder: string;
  /** Its SKILL.md: a path an agent can read. */
  readonly source: string;
  /** Sorted by path. */
  readonly files: readonly SkillFile[];
  /** Changes whenever one of its files does. */
  readonly stamp: string;
  /** When any of them last changed, in Unix time. */
  readonly changedMs: number;
}

/** Something that a person should look at; at most one per skill. */
export interface SkillProblem {
  readonly path: string;
  readonly reason: string;
}

/** What was found on disk at one moment. Never changed, only replaced. */
export interface SkillSnapshot {
  /** Sorted by name; names are unique. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** `sha256:` and 64 hexadecimal digits, as the MCP skills extension writes it. */
export type Digest = `sha256:${string}`;

export interface SkillDigests {
  readonly digest: Digest;
  /** By path. */
  readonly files: ReadonlyMap<string, Digest>;
}

/** Thrown for a folder that cannot be listed as a skill; the message says why. */
export class Unfit extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Unfit';
  }
}
