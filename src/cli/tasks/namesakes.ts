// What tells a person why this folder does not see tasks that others of its name have: the project has another id than theirs.
import { namedOwner } from '../../core/project-id.js';
import { isTerminal, TASK_STATES } from '../../domains/tasks/state-machine.js';
import { currentOwner, hasTasks, projectsNamed, type StoredProject } from '../../ledger/projects.js';
import type { Note } from '../../start/identity.js';
import type { ReadTx } from '../../store/store.js';
import { type StoreAt, whoseStore } from '../place.js';
import { countByState } from './repository.js';

const hasOpenTasks = async (tx: ReadTx, owner: string): Promise<boolean> => {
  const counts = await countByState(tx, { owner, assignee: undefined });
  return TASK_STATES.some((state) => !isTerminal(state) && counts[state] > 0);
};

/** The other project with this name, if it has open tasks. `own`: the ids whose tasks are this project's. */
const namesake = async (tx: ReadTx, name: string, own: readonly string[]): Promise<StoredProject | undefined> => {
  for (const stored of await projectsNamed(tx, name)) {
    const owner = await currentOwner(tx, stored.project_id);
    if (!own.includes(owner) && (await hasOpenTasks(tx, owner))) return { ...stored, project_id: owner };
  }
  return undefined;
};

/**
 * The note about the project's id, if a person should act: the id of its project file waits for a yes, tasks have only its name, or (where
 * machines share a server) a project of its name has another id. Two folders of one machine may have one name by chance.
 */
export const projectNote = async (tx: ReadTx, at: StoreAt): Promise<Note | undefined> => {
  const { project, identity } = whoseStore(at);
  if (project.none || identity === undefined) return undefined;
  if (identity.note !== undefined) return identity.note;
  const { name } = project;
  if (await hasTasks(tx, namedOwner(name))) {
    return {
      message: `Some tasks have only the name ${name}, and several projects are called so: colibri tasks --of =${name} shows them.`,
      remedy: "If they are this project's: colibri init --join",
    };
  }
  const own = await currentOwner(tx, identity.id);
  const other = at.engine === 'postgres' ? await namesake(tx, name, [own, ...identity.takes]) : undefined;
  if (other === undefined) return undefined;
  return {
    message: `Another project ${name}, with the id ${other.project_id} (${other.dir}), has open tasks in this store, which this one (${identity.id}) does not share.`,
    remedy:
      'If they are one project: commit the .colibri/project.json of one folder, take it over in the other, and run colibri init --join there.',
  };
};
