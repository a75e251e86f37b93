// Finds skills that agents followed (their thoughts say so) and that differ on disk today. The verdict mentions them, but they are not
// faults of the ledger.

import { count } from '../../core/figures.js';
import { Skills } from '../../domains/skills/skills.js';
import { resolveProject } from '../../start/project.js';
import type { Verdict } from '../../verify/verdict/verdict.js';
import { readingStore } from '../access.js';
import type { StoreAt } from '../place.js';
import { followedSkills } from '../records/record-repository.js';
import { plain } from '../screen/print.js';

const SHOWN_CHARS = 19;

const short = (digest: string): string => (digest.length <= SHOWN_CHARS ? digest : `${digest.slice(0, SHOWN_CHARS)}…`);

/** One sentence for each skill of which thoughts name another version than the one on disk. */
const driftOf = async (at: StoreAt): Promise<readonly string[]> => {
  const followed = await readingStore(at, (store) => store.read(followedSkills));
  if (followed.length === 0) return [];
  const project = resolveProject(at.config.projectHints);
  const skills = new Skills({
    skillsDir: at.config.skillsDir,
    projectDir: project.none ? undefined : project.dir,
    nowMs: () => performance.now(),
    wallMs: Date.now,
  });
  try {
    const remarks: string[] = [];
    for (const { name, digest, thoughts } of followed) {
      const current = await skills.resolveSkill(name);
      if (current?.digest === digest) continue;
      const now = current === undefined ? 'is no longer here' : `is ${short(current.digest)} on disk now`;
      remarks.push(
        `${count(thoughts, 'thought')} followed skill ${plain(name)} as ${plain(short(digest))}, which ${now}.`,
      );
    }
    return remarks;
  } finally {
    skills.close();
  }
};

/** Adds a remark to the verdict for each skill that changed; nothing if the store cannot be read. */
export const withSkills = async (verdict: Verdict, at: StoreAt): Promise<Verdict> => {
  if (verdict.exit === 30) return verdict;
  const drift = await driftOf(at).catch(() => []); // the verdict already says that the store is damaged
  return { ...verdict, remarks: [...verdict.remarks, ...drift] };
};
