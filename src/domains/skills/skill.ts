// The types of skills and their files. They are values: each describes what was on disk at one moment.

export interface SkillFile {
  /** The file's path relative to the skill's folder, with `/` as separator. */
  readonly path: string;
  readonly size: number;
  /** The path of the file that is read: for a link inside the skill, the link's target. */
  readonly real: string;
  /** A text that changes whenever the file changes: its device, inode, size and times. */
  readonly stamp: string;
}

/** The fields of a skill's frontmatter, cut to their bounds; absent values are null. */
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
  /** The unchanged frontmatter of SKILL.md, for hosts. */
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** True if the skill follows every rule of the specification. Hosts may reject a whole list for one skill that does not. */
  readonly conforms: boolean;
  /** The path of the skill's folder, with links resolved. */
  readonly folder: string;
  /** The path of the skill's SKILL.md, which an agent can read. */
  readonly source: string;
  /** The skill's files, sorted by the bytes of their paths. */
  readonly files: readonly SkillFile[];
  /** A text that changes whenever one of the skill's files changes. */
  readonly stamp: string;
  /** When any of the skill's files last changed, in Unix milliseconds. */
  readonly changedMs: number;
}

/** A fault of a skill or of a skill folder that a person should look at; at most one per skill. */
export type SkillProblem = { readonly path: string; readonly reason: string };

/** The skills and problems that a scan found on disk. A snapshot is never changed, only replaced. */
export interface SkillSnapshot {
  /** The skills, sorted by name; names are unique. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

/** A SHA-256: `sha256:` and 64 hexadecimal digits, as the MCP skills extension writes it. */
export type Digest = `sha256:${string}`;

export interface SkillDigests {
  readonly digest: Digest;
  /** The digests of the skill's files, by path. */
  readonly files: ReadonlyMap<string, Digest>;
}

/** The error for a folder that cannot be listed as a skill; its message says why. */
export class Unfit extends Error {}
