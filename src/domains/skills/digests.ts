// Computes the digests of skills in the background: SHA-256 over lines `<hex of a file's SHA-256>  <path>`, sorted by path, as sha256sum
// prints them. docs/skills.md has the shell command that computes the same digest.
import { createHash, hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { skillStamp, withFile } from './disk.js';
import { SKILL_LIMITS } from './limits.js';
import { type Digest, type Skill, type SkillDigests, type SkillFile, Unfit } from './skill.js';

const written = (hex: string): Digest => `sha256:${hex}`;

const checkStamp = (file: SkillFile, stamp: string): void => {
  if (stamp !== file.stamp) throw new Unfit(`${file.path} has changed`);
};

/** The SHA-256 of a file, read in pieces so that a long file blocks nobody. Throws Unfit if the file changed since the scan or meanwhile. */
const hashFile = (file: SkillFile): Promise<string> =>
  withFile(file.real, async (handle, stats) => {
    checkStamp(file, skillStamp(stats));
    const sum = createHash('sha256');
    const piece = Buffer.allocUnsafe(Math.min(SKILL_LIMITS.skillChunkBytes, file.size + 1));
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, null);
      if (bytesRead === 0) break;
      sum.update(piece.subarray(0, bytesRead));
    }
    checkStamp(file, skillStamp(await handle.stat({ bigint: true })));
    return sum.digest('hex');
  });

/** The digest of a skill whose files are `files`, which must be sorted by the bytes of their paths. */
export const digestOfList = (files: readonly (readonly [path: string, hex: string])[]): Digest =>
  written(hash('sha256', files.map(([path, hex]) => `${hex}  ${path}\n`).join('')));

const digestSkill = async (skill: Skill, wallMs: number): Promise<SkillDigests> => {
  // A second change within one tick of the file system's clock would not change a file's stamp, so that tick must pass before the hashing.
  const untilSettled = skill.changedMs + SKILL_LIMITS.fileTickMs - wallMs;
  if (untilSettled > 0) await sleep(Math.min(untilSettled, SKILL_LIMITS.fileTickMs));
  const sums: (readonly [string, string])[] = [];
  for (const file of skill.files) sums.push([file.path, await hashFile(file)]);
  return { digest: digestOfList(sums), files: new Map(sums.map(([path, hex]) => [path, written(hex)])) };
};

interface Job {
  readonly stamp: string;
  readonly done: Promise<SkillDigests>;
  value?: SkillDigests;
}

export class Digests {
  /** The running and finished computations, by skill folder. Each is for one state of the folder's files, named by a stamp. */
  readonly #jobs = new Map<string, Job>();
  readonly #wallMs: () => number;

  constructor(wallMs: () => number) {
    this.#wallMs = wallMs;
  }

  known(skill: Skill): SkillDigests | undefined {
    const job = this.#jobs.get(skill.folder);
    return job?.stamp === skill.stamp ? job.value : undefined;
  }

  /** Computes the digests of a skill. The promise rejects if the skill's files changed since the scan. */
  of(skill: Skill): Promise<SkillDigests> {
    const running = this.#jobs.get(skill.folder);
    if (running?.stamp === skill.stamp) return running.done;
    const job: Job = { stamp: skill.stamp, done: digestSkill(skill, this.#wallMs()) };
    this.#jobs.set(skill.folder, job);
    job.done.then(
      (value) => {
        job.value = value;
      },
      () => {
        if (this.#jobs.get(skill.folder) === job) this.#jobs.delete(skill.folder);
      },
    );
    return job.done;
  }

  /** Computes the digests of all skills, one after the other. The promise resolves to false if one could not be computed. */
  async make(skills: readonly Skill[]): Promise<boolean> {
    const folders = new Set(skills.map(({ folder }) => folder));
    for (const folder of this.#jobs.keys()) if (!folders.has(folder)) this.#jobs.delete(folder);
    let all = true;
    for (const skill of skills) {
      if (this.known(skill) !== undefined) continue;
      await this.of(skill).catch(() => {
        all = false;
      });
    }
    return all;
  }
}
