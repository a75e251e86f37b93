// The catalogue of the skills on disk. It reads no file before the first request. A scan builds a complete new snapshot of all skills, which
// then replaces the old snapshot, so nobody sees half of a change.

import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../core/installed.js';
import { Digests } from './digests.js';
import { SKILL_LIMITS } from './limits.js';
import type { Scan, SkillPlace } from './scan.js';
import type { Digest, Skill, SkillDigests, SkillSnapshot } from './skill.js';
import type { SkillsOptions } from './skills.js';
import { Watch } from './watch.js';

interface CatalogueOptions extends Pick<SkillsOptions, 'nowMs' | 'wallMs'> {
  readonly places: readonly SkillPlace[];
}

/** The skill that a thought follows, as the thought's record holds it. */
export interface SkillInForce {
  readonly name: string;
  readonly digest: Digest;
}

/** Whether two snapshots have the same skills: equal names, files and contents. */
const sameSkills = (a: SkillSnapshot, b: SkillSnapshot): boolean =>
  a.skills.length === b.skills.length &&
  a.skills.every((skill, at) => skill.name === b.skills[at]?.name && skill.stamp === b.skills[at]?.stamp);

export class SkillCatalogue {
  readonly #options: CatalogueOptions;
  readonly #digests: Digests;
  readonly #listeners: (() => void)[] = [];
  readonly #watch = new Watch(
    () => {
      this.#lastMs = Number.NEGATIVE_INFINITY;
    },
    () => void this.#scanNow().catch(() => {}), // a scan that fails is repeated by the next request
  );
  #last: Scan | undefined;
  #lastMs = Number.NEGATIVE_INFINITY;
  #running: Promise<Scan> | undefined;
  #queued: Promise<Scan> | undefined;
  #digesting: Promise<boolean> = Promise.resolve(true);
  #closed = false;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    this.#digests = new Digests(options.wallMs);
  }

  /** The skills on disk; the snapshot is at most two seconds old. */
  async current(): Promise<SkillSnapshot> {
    const isFresh = this.#options.nowMs() - this.#lastMs < SKILL_LIMITS.skillsFreshMs;
    return this.#last !== undefined && isFresh ? this.#last : this.#scanNow();
  }

  /** Scans the skill folders again, even if the last scan is recent. */
  async refresh(): Promise<void> {
    await this.#scanNow();
  }

  async find(name: string): Promise<Skill | undefined> {
    return (await this.current()).skills.find((skill) => skill.name === name);
  }

  /** The digests of a skill, if they are computed already. */
  known(skill: Skill): SkillDigests | undefined {
    return this.#digests.known(skill);
  }

  /** The promise resolves when the digests for the last snapshot are computed; to false if some could not be computed. */
  digested(): Promise<boolean> {
    return this.#digesting;
  }

  /** Waits for the digests of a skill. Undefined if there is no such skill, or if the skill's files keep changing. */
  async digestOf(name: string): Promise<SkillDigests | undefined> {
    for (let left = SKILL_LIMITS.digestTries; left > 0; left -= 1) {
      const skill = await this.find(name);
      if (skill === undefined) return undefined;
      try {
        return await this.#digests.of(skill);
      } catch {
        this.#lastMs = Number.NEGATIVE_INFINITY; // the skill's files have changed since the last scan: the next request scans again
      }
    }
    return undefined;
  }

  /** The name and the digest of a skill, as a thought's record holds them. */
  async resolveSkill(name: string): Promise<SkillInForce | undefined> {
    const digests = await this.digestOf(name);
    return digests && { name, digest: digests.digest };
  }

  /** Calls the listener when skills are added, removed or changed, but not after the first scan. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#closed = true;
    this.#watch.close();
  }

  /** Runs one scan at a time. Requests that come during a scan share the next scan, which begins after the running one. */
  #scanNow(): Promise<Scan> {
    const running = this.#running;
    if (running === undefined) return this.#begin();
    const next = () => {
      this.#queued = undefined;
      return this.#begin();
    };
    this.#queued ??= running.then(next, next);
    return this.#queued;
  }

  #begin(): Promise<Scan> {
    const running = this.#scan().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #scan(): Promise<Scan> {
    const { scan } = await import('./scan.js');
    const { places, nowMs, wallMs } = this.#options;
    const startedMs = nowMs();
    const before = this.#last?.readings ?? new Map();
    const next = await scan({ places, before, nowMs: startedMs, wallMs: wallMs() });
    this.#take(next, startedMs);
    return next;
  }

  #take(next: Scan, atMs: number): void {
    const last = this.#last;
    this.#last = next;
    this.#lastMs = atMs;
    if (this.#closed) return;
    this.#digesting = soon().then(() => this.#digests.make(next.skills));
    this.#watch.set(next.folders);
    if (next.unsettled) this.#watch.wake(SKILL_LIMITS.skillSettleMs);
    if (last !== undefined && !sameSkills(last, next)) for (const tell of this.#listeners) tell();
  }
}

/** The folders of a project that hold skills: for all agents, and for Claude. */
const PROJECT_FOLDERS = [join('.agents', 'skills'), join('.claude', 'skills')];

/** The folder of the skills that come with Colibri. */
const SHIPPED = fileURLToPath(packageFile('skills'));

/** The folders that are searched for skills. If two skills have the same name, the skill in the earlier folder is listed. */
export const skillPlaces = (
  skillsDir: string | undefined,
  projectDir: string | undefined,
  shipped = SHIPPED,
): readonly SkillPlace[] => [
  ...(skillsDir !== undefined
    ? [{ dir: skillsDir, within: skillsDir, expected: true }]
    : projectDir !== undefined
      ? PROJECT_FOLDERS.map((folder) => ({ dir: join(projectDir, folder), within: projectDir, expected: false }))
      : []),
  { dir: shipped, within: shipped, expected: true, isShipped: true },
];
