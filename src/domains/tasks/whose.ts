// Finds the project that an argument means: a name, an id, or `*` for all. A name means the current project if that project has the name;
// otherwise exactly one project must have it. The SQL is in ledger/projects.ts.
import { isProjectId, namedOwner, ownerId } from '../../core/project-id.js';
import { currentOwner, hasTasks, projectsNamed, projectWithId, type StoredProject } from '../../ledger/projects.js';
import { DomainError } from '../../middleware/envelope.js';
import type { RuntimeMode } from '../../modes.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { nextCall } from '../refusal.js';
import type { Whose } from './task.js';

/** The project that this Colibri process works for. */
export interface CurrentProject {
  readonly id: string;
  readonly name: string;
}

/** Returns the current project, or null if there is none. Called for each request: the project is known only once the store is open. */
export type AskCurrent = () => CurrentProject | null;

/** The functions that the rest of the process passes to the task tools. */
export interface TaskNeeds {
  readonly current: AskCurrent;
  readonly mode: RuntimeMode;
}

export const whoseCurrent = (current: CurrentProject | null): Whose => ({
  project: current?.name ?? null,
  project_id: current?.id ?? null,
});

interface Choice extends Whose {
  readonly owner: string;
  readonly dir?: string;
}

const ambiguous = (name: string, choices: readonly Choice[]): DomainError => {
  const shown = choices.map(({ owner, dir }) => `${owner}${dir === undefined ? ' (no folder)' : ` (${dir})`}`);
  return new DomainError(
    'ERR_AMBIGUOUS_PROJECT',
    `${choices.length} projects are called ${JSON.stringify(name)}. Give the id of one: ${shown.join(', ')}.`,
    {
      projects: choices.map(({ owner, dir = null }) => ({ project_id: owner, dir })),
      next: choices.slice(0, DOMAIN_LIMITS.adviceCalls).map(({ owner }) => nextCall('task_list', { project: owner })),
    },
  );
};

const choiceOf = async (tx: ReadTx, { project_id, name, dir }: StoredProject): Promise<Choice> => ({
  project: name,
  project_id,
  dir,
  owner: await currentOwner(tx, project_id),
});

/** The projects that have a name, each project once. */
const named = async (tx: ReadTx, name: string): Promise<readonly Choice[]> => {
  const choices: Choice[] = [];
  for (const stored of await projectsNamed(tx, name)) choices.push(await choiceOf(tx, stored));
  const bare = await currentOwner(tx, namedOwner(name));
  const isBare = ownerId(bare) === null;
  if (isBare && (choices.length === 0 || (await hasTasks(tx, bare)))) {
    choices.push({ project: name, project_id: null, owner: bare });
  }
  return choices.filter(({ owner }, i) => choices.findIndex((one) => one.owner === owner) === i);
};

/** The name in `=name`, which means the tasks with only a project name and no project id. Needed if a project with an id has the name too. */
const bareName = (asked: string): string | undefined => (asked.startsWith('=') ? asked.slice(1) : undefined);

/** The project that an argument means. Throws ERR_AMBIGUOUS_PROJECT if several projects have the name. */
export const meantProject = async (tx: ReadTx, asked: string, current: CurrentProject | null): Promise<Choice> => {
  if (current !== null && (asked === current.name || asked === current.id)) {
    return { ...whoseCurrent(current), owner: await currentOwner(tx, current.id) };
  }
  const byId = isProjectId(asked) ? await projectWithId(tx, asked) : undefined;
  if (byId !== undefined) return choiceOf(tx, byId);
  const bare = bareName(asked);
  if (bare !== undefined && (await hasTasks(tx, asked))) return { project: bare, project_id: null, owner: asked };
  const choices = await named(tx, asked);
  const [only, ...others] = choices;
  if (only === undefined || others.length > 0) throw ambiguous(asked, choices);
  return only;
};

/** The project whose tasks a list or the queue covers, or all projects. */
export interface TaskScope {
  /** The project's id, or `=name` for a project without an id; undefined for all projects. */
  readonly owner: string | undefined;
  readonly project: string | undefined;
}

/** The scope that an argument means: the current project by default; all projects for `*`, or if there is no current project. */
export const scopeOf = async (
  tx: ReadTx,
  asked: string | undefined,
  current: CurrentProject | null,
): Promise<TaskScope> => {
  const wanted = asked ?? current?.name;
  if (wanted === undefined || wanted === '*') return { owner: undefined, project: undefined };
  const { owner, project } = await meantProject(tx, wanted, current);
  return { owner, project: project ?? wanted };
};
