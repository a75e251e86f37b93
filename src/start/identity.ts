// Determines a project's id: the id in its project file if this machine has paired that id with this folder, else an id made from the
// folder's path. `decideIdentity` is pure; the rest reads the disk and stores the pairing.
import { join } from 'node:path';
import { namedOwner, OWN_STORE_ID, pathId } from '../core/project-id.js';
import { ColibriError } from '../errors.js';
import type { HeldState } from '../files/held-file.js';
import { changeKnownProjects, isOnlyOne, type KnownProject, readKnownProjects } from './known-projects.js';
import { disk, type Folders, type Project, type StoreChoice, sharedGitDir } from './project.js';
import { type Declared, declaredIn } from './project-file.js';

export interface Note {
  readonly message: string;
  readonly remedy: string;
}

export interface Identity {
  readonly id: string;
  /** The rule that chose the project's id, in words for a person. */
  readonly rule: string;
  /** A warning about the project's id for a person, and its remedy. */
  readonly note?: Note;
  /** An id from the project file that a person has to confirm, and the other paths that have the same id. */
  readonly waiting?: { readonly id: string; readonly paths: readonly string[] };
  /** The task owners (earlier project ids or names) whose tasks this project takes over (ledger/projects.ts). */
  readonly takes: readonly string[];
}

export interface IdentityFacts {
  /** The path that the project's id is paired with: the project's folder, or the git directory that its worktrees share. */
  readonly root: string;
  readonly name: string;
  readonly declared: Declared;
  /** The entries of the table of known projects; undefined if the table is damaged. */
  readonly known: readonly KnownProject[] | undefined;
  /** True if the store is in the project's own folder. */
  readonly ownStore: boolean;
}

export const pairedId = (known: readonly KnownProject[], root: string): string | undefined =>
  known.find(({ id, path }) => path === root && id !== pathId(root))?.id;

type Choice = Pick<Identity, 'id' | 'rule' | 'note' | 'waiting'>;

const undeclared = ({ root, ownStore }: IdentityFacts): Choice =>
  ownStore
    ? { id: OWN_STORE_ID, rule: 'the store is in its folder' }
    : { id: pathId(root), rule: `from the path ${root}` };

const waitingFor = (
  id: string,
  others: readonly string[],
  facts: IdentityFacts,
  paired: string | undefined,
): Choice => {
  const why =
    others.length === 0
      ? 'this folder had another id before'
      : `this machine knows it from ${others.join(', ')}; this folder may be a copy or a clone of it`;
  return {
    id: paired ?? pathId(facts.root),
    rule: paired === undefined ? `from the path ${facts.root}` : 'known for this folder',
    waiting: { id, paths: others },
    note: {
      message: `The id ${id} in .colibri/project.json is not used: ${why}. This project shares no tasks with other folders of that id.`,
      remedy: 'If the id in .colibri/project.json is right for this folder: colibri init --join',
    },
  };
};

const DAMAGED: Note = {
  message: 'projects.json in the state directory is damaged, so no id from a project file is used.',
  remedy: 'Repair projects.json or move it away.',
};

const unusable = (why: string): Note => ({
  message: `.colibri/project.json is not used: ${why}.`,
  remedy: 'Move the file away and run: colibri init',
});

const chosen = (facts: IdentityFacts): Choice => {
  const { declared, known, root } = facts;
  if (known === undefined) {
    return { ...undeclared(facts), note: DAMAGED };
  }
  const paired = pairedId(known, root);
  if (declared.kind === 'id') {
    if (paired === declared.id) return { id: paired, rule: '.colibri/project.json' };
    const others = known.filter(({ id }) => id === declared.id).map(({ path }) => path);
    if (others.length > 0 || paired !== undefined) return waitingFor(declared.id, others, facts, paired);
    return { id: declared.id, rule: '.colibri/project.json' };
  }
  const note = declared.kind === 'unusable' ? { note: unusable(declared.why) } : {};
  return paired === undefined
    ? { ...undeclared(facts), ...note }
    : { id: paired, rule: 'known for this folder', ...note };
};

/** The task owners whose tasks go to this project: earlier ids of its folder, and its name if no other project can be meant by it. */
const takenOver = ({ root, name, known = [], ownStore }: IdentityFacts, { id, waiting }: Choice): readonly string[] => {
  const here = known.find(({ path, takesNamed }) => path === root && takesNamed === true);
  const isNamed = ownStore || here !== undefined || (waiting === undefined && isOnlyOne(known, name));
  return [
    ...(ownStore && waiting === undefined ? [OWN_STORE_ID] : []),
    pathId(root),
    ...(isNamed ? [namedOwner(name)] : []),
  ].filter((owner) => owner !== id);
};

export const decideIdentity = (facts: IdentityFacts): Identity => {
  const choice = chosen(facts);
  return { ...choice, takes: takenOver(facts, choice) };
};

export const identityRoot = (dir: string, folders: Folders = disk): string => sharedGitDir(dir, folders) ?? dir;

export interface IdentityPlace {
  readonly project: Project;
  readonly choice: StoreChoice;
  readonly stateDir: string;
}

const isOwnStore = ({ project, choice }: IdentityPlace): boolean =>
  choice.kind === 'sqlite' && choice.path === join(project.dir, '.colibri', 'colibri.db');

const factsOf = (place: IdentityPlace, known: readonly KnownProject[] | undefined): IdentityFacts => ({
  root: identityRoot(place.project.dir),
  name: place.project.name,
  declared: declaredIn(place.project.dir),
  known,
  ownStore: isOwnStore(place),
});

/** Determines the project's id without writing anything. */
export const lookUpIdentity = (place: IdentityPlace): Identity =>
  decideIdentity(factsOf(place, readKnownProjects(place.stateDir)));

type Holding = <T>(act: (held: HeldState) => T) => Promise<T>;

const withPair = (known: readonly KnownProject[], pair: KnownProject): readonly KnownProject[] =>
  known.some(({ id, path }) => id === pair.id && path === pair.path) ? known : [...known, pair];

/** The project's entry for the table of known projects. OWN_STORE_ID never goes into the table, because it means whichever folder contains the store. */
const pairFor = ({ id }: Identity, root: string, at: string): KnownProject => ({
  id: id === OWN_STORE_ID ? pathId(root) : id,
  path: root,
  at,
});

/** Adds the project with its path to the table of known projects if it is new. If two copies of a project start at once, the first gets the id. */
export const pairProject = (held: HeldState, place: IdentityPlace, at: string): Identity => {
  const facts = factsOf(place, undefined);
  const known = changeKnownProjects(held, (now) =>
    withPair(now, pairFor(decideIdentity({ ...facts, known: now }), facts.root, at)),
  );
  return decideIdentity({ ...facts, known });
};

/**
 * Determines the project's id and adds it to the table of known projects if it is new. If the table cannot be written, an id from a project
 * file is not used, because another copy of the project could not be told from this one.
 */
export const claimIdentity = async (place: IdentityPlace, at: string, holding: Holding): Promise<Identity> => {
  const facts = factsOf(place, readKnownProjects(place.stateDir));
  const first = decideIdentity(facts);
  const { known, root } = facts;
  if (known === undefined || withPair(known, pairFor(first, root, at)) === known) return first;
  try {
    return await holding((held) => pairProject(held, place, at));
  } catch (thrown) {
    if (!(thrown instanceof ColibriError)) throw thrown;
    const own = decideIdentity({ ...facts, declared: { kind: 'none' } });
    const remedy = thrown.remedy ?? 'The next start of Colibri tries again to add the project.';
    return {
      ...own,
      takes: [],
      note: { message: `The project could not be added to projects.json: ${thrown.message}`, remedy },
    };
  }
};

/** Records a person's confirmation that the id in the project file, or the tasks that have only the project's name, belong to this project. */
export const joinProject = (
  held: HeldState,
  place: IdentityPlace,
  at: string,
  stillThere: (path: string) => boolean,
): void => {
  const facts = factsOf(place, undefined);
  changeKnownProjects(held, (now) => {
    const { id, waiting } = decideIdentity({ ...facts, known: now });
    const others = now.filter(({ path }) => path !== facts.root);
    if (waiting === undefined) {
      const pair = pairFor({ id, rule: '', takes: [] }, facts.root, at);
      return [...now.filter((one) => one.id !== pair.id || one.path !== pair.path), { ...pair, takesNamed: true }];
    }
    // The entry of a folder that is gone is dropped: a project that appears in its place later needs a person's confirmation.
    const kept = others.filter((one) => one.id !== waiting.id || stillThere(one.path));
    const own = { id: pathId(facts.root), path: facts.root, at };
    return [...kept, own, { id: waiting.id, path: facts.root, at }];
  });
};
