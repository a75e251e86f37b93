// Reads all folders of skills into one snapshot. A bad skill becomes a problem and does not affect other skills. This file is loaded at the
// first use of skills, because it loads the YAML parser.
import { join, sep } from 'node:path';
import { entriesOf, lookAtSkills, resolveFolder } from './disk.js';
import { SKILL_LIMITS } from './limits.js';
import { type FolderReading, readSkill, skipped } from './read-skill.js';
import { type Skill, type SkillProblem, type SkillSnapshot, Unfit } from './skill.js';

const OUR_PREFIX = 'colibri-';

/** A folder that contains skill folders. If two places have a skill of the same name, the skill of the first place is listed. */
export interface SkillPlace {
  readonly dir: string;
  /** The folder in which the targets of links in `dir` must lie. */
  readonly within: string;
  /** True if somebody configured `dir`, so that a missing folder is a problem. */
  readonly expected: boolean;
  /** True if the skills of this folder come with Colibri. Only here may skill names begin with `colibri-`. */
  readonly isShipped?: true;
}

interface ScanOptions {
  readonly places: readonly SkillPlace[];
  readonly before: ReadonlyMap<string, FolderReading>;
  /** The monotonic time of the scan, in milliseconds. */
  readonly nowMs: number;
  /** The Unix time of the scan in milliseconds, to compare with the times of files. */
  readonly wallMs: number;
}

interface Where {
  readonly place: SkillPlace;
  /** The folder that no link may lead out of: `place.within` with links resolved. */
  readonly boundary: string;
}

/** Collects the folders that contain a SKILL.md, in the order of the places that are searched. */
class Search {
  readonly found = new Map<string, SkillPlace>();
  readonly looked = new Set<string>();
  readonly problems: SkillProblem[] = [];
  #left = 0;

  async place(place: SkillPlace): Promise<void> {
    const { dir, within, expected } = place;
    this.#left = SKILL_LIMITS.skillFolders;
    try {
      const real = await resolveFolder(dir);
      if (real === undefined) {
        if (expected) throw new Unfit('there is no such folder');
        return;
      }
      const boundary = (await resolveFolder(within)) ?? within;
      if (real !== boundary && !real.startsWith(boundary + sep))
        throw new Unfit('it is a link that leads out of the project');
      if ((await lookAtSkills(join(real, 'SKILL.md'))) !== undefined)
        throw new Unfit('it is a skill itself; name the folder above');
      await this.#group(real, { place, boundary }, 1);
      if (this.#left < 0)
        throw new Unfit(`it has more than ${SKILL_LIMITS.skillFolders} folders; the rest was not looked at`);
    } catch (thrown) {
      this.problems.push(skipped(dir, thrown));
    }
  }

  async #group(dir: string, where: Where, depth: number): Promise<void> {
    this.looked.add(dir);
    const entries = await entriesOf(dir, SKILL_LIMITS.folderEntries);
    if (entries === undefined) throw new Unfit(`it has more than ${SKILL_LIMITS.folderEntries} entries`);
    for (const entry of entries) {
      if (!(entry.isDirectory() || entry.isSymbolicLink()) || entry.name === 'node_modules') continue;
      this.#left -= 1;
      if (this.#left < 0) return;
      await this.#folder(join(dir, entry.name), where, entry.isSymbolicLink() ? undefined : depth);
    }
  }

  /** Looks at a folder that is a skill or a group of skills. Links to groups are not followed. */
  async #folder(path: string, where: Where, depth: number | undefined): Promise<void> {
    try {
      const real = depth === undefined ? await resolveFolder(path) : path;
      if (real === undefined || !(await isSkill(real))) {
        if (depth !== undefined && depth < SKILL_LIMITS.skillGroupDepth) await this.#group(path, where, depth + 1);
        return;
      }
      if (!real.startsWith(where.boundary + sep)) throw new Unfit('it is a link that leads out of the project');
      // The folder of shipped skills is searched last and overwrites an earlier entry of `found`, so a shipped skill to which a project has
      // a link still counts as shipped.
      this.found.set(real, where.place);
    } catch (thrown) {
      this.problems.push(skipped(path, thrown));
    }
  }
}

const isSkill = async (folder: string): Promise<boolean> =>
  (await lookAtSkills(join(folder, 'SKILL.md'))) !== undefined ||
  (await lookAtSkills(join(folder, 'skill.md'))) !== undefined;

/** Runs `act` on all items, a few at the same time. The results have the order of the items. */
const mapConcurrently = async <T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await act(items[at] as T);
  };
  await Promise.all(Array.from({ length: SKILL_LIMITS.skillReaders }, worker));
  return results;
};

/** Returns the earlier reading of a skill that was readable a moment ago, because its files may be in the middle of being written. */
const keepWhileChanging = (fresh: FolderReading, known: FolderReading | undefined, nowMs: number): FolderReading => {
  if (fresh.skill !== undefined || known?.skill === undefined) return fresh;
  const badSinceMs = known.badSinceMs ?? nowMs;
  return nowMs - badSinceMs < SKILL_LIMITS.skillSettleMs ? { ...known, settled: false, badSinceMs } : fresh;
};

/** Whether a skill's name begins with `colibri-`, also in another case, with other separators, or in full-width letters. */
const isReserved = (name: string): boolean =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .startsWith(OUR_PREFIX);

/** Renames a project's skill whose name begins with `colibri-`: it is listed as `project:<name>` and not offered to hosts. */
const named = (reading: FolderReading, isShipped: boolean): FolderReading => {
  const { skill } = reading;
  if (isShipped || skill === undefined || !isReserved(skill.name)) return reading;
  const name = `project:${skill.name}`;
  const reason = `listed as ${name}: names that begin with ${OUR_PREFIX} belong to the skills that come with Colibri`;
  return { ...reading, skill: { ...skill, name, conforms: false }, problem: { path: skill.source, reason } };
};

/** The skills by name. If two skills have the same name, the first is listed and the other becomes a problem. */
const byName = (readings: readonly FolderReading[]): SkillSnapshot => {
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const { skill, problem } of readings) {
    const first = skill && skills.get(skill.name);
    if (skill !== undefined && first !== undefined) {
      problems.push({ path: skill.source, reason: `hidden: ${first.source} has the same name, ${skill.name}` });
      continue;
    }
    if (problem !== undefined) problems.push(problem);
    if (skill !== undefined) skills.set(skill.name, skill);
  }
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
};

/** Scans all folders of skills. A fault on disk becomes a problem in the result, never an error. */
export const scan = async ({ places, before, nowMs, wallMs }: ScanOptions) => {
  const search = new Search();
  for (const place of places) await search.place(place);
  const readings = await mapConcurrently([...search.found.keys()], async (folder) => {
    const known = before.get(folder);
    return keepWhileChanging(await readSkill(folder, known, wallMs), known, nowMs);
  });
  const { skills, problems } = byName(
    readings.map((one) => named(one, search.found.get(one.folder)?.isShipped === true)),
  );
  return {
    skills,
    problems: [...search.problems, ...problems],
    /** The readings by skill folder, so that the next scan need not read unchanged folders again. */
    readings: new Map(readings.map((reading) => [reading.folder, reading])),
    /** Every folder that was read. These folders are watched for changes. */
    folders: [...search.looked, ...search.found.keys()],
    /** True if a skill is still listed although its folder cannot be read. Then the next scan should come soon. */
    unsettled: readings.some(({ badSinceMs }) => badSinceMs !== undefined),
  };
};

export type Scan = Readonly<Awaited<ReturnType<typeof scan>>>;
