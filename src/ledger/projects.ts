// Determines which project owns which tasks. A task names its owner: the id of its project, or only a project's name. A project takes over
// the tasks of earlier ids of its folder, which is called an adoption. The boot record of the process that does so names the adoption, because
// every change of evidence must be named by a record.
import type { Subject } from '../proof/records.js';
import type { ReadTx, Tx } from '../store/store.js';
import { rowSalt, subjectOf } from './evidence.js';
import { readSize } from './head.js';
import { LEDGER_LIMITS } from './limits.js';

export interface ProjectHere {
  readonly id: string;
  readonly name: string;
  readonly dir: string;
  /** The task owners (earlier project ids or names) whose tasks belong to this project from now on. */
  readonly takes: readonly string[];
}

/** The project that has taken over the tasks of `owner` (a project id or name), directly or step by step; else `owner` itself. */
export const currentOwner = async (tx: ReadTx, owner: string): Promise<string> => {
  let found = owner;
  for (let steps = 0; steps < LEDGER_LIMITS.adoptionSteps; steps += 1) {
    const row = await tx.get<{ project_id: string }>('SELECT project_id FROM adoptions WHERE owner = ?', found);
    if (row === undefined) return found;
    found = row.project_id;
  }
  return found;
};

export const hasTasks = async (tx: ReadTx, owner: string): Promise<boolean> =>
  (await tx.get('SELECT 1 AS found FROM tasks WHERE owner = ? LIMIT 1', owner)) !== undefined;

const adopt = async (tx: Tx, log: string, from: string, { id }: ProjectHere): Promise<readonly Subject[]> => {
  const to = await currentOwner(tx, id);
  // A project takes over the tasks of an earlier owner only once, and not if it already owns them.
  if ((await currentOwner(tx, from)) !== from || to === from || !(await hasTasks(tx, from))) return [];
  const salt = rowSalt();
  await tx.run(
    'INSERT INTO adoptions (owner, project_id, salt, log_id, seq) VALUES (?, ?, ?, ?, ?)',
    from,
    id,
    salt,
    log,
    await readSize(tx, log),
  );
  await tx.run('UPDATE tasks SET owner = ? WHERE owner = ?', to, from);
  return [subjectOf({ type: 'adoption', id: from, rev: 1, salt, columns: { project_id: id } })];
};

/**
 * Adds the project to the store and takes over tasks of earlier project ids. Runs in the transaction of the boot record, before that
 * record is appended. Returns the changed rows that the boot record has to name.
 */
export const enterProject = async (tx: Tx, log: string, at: string, here: ProjectHere): Promise<readonly Subject[]> => {
  const subjects: Subject[] = [];
  for (const owner of here.takes) subjects.push(...(await adopt(tx, log, owner, here)));
  await tx.run(
    `INSERT INTO projects (project_id, name, dir, seen_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (project_id, name) DO UPDATE SET dir = excluded.dir, seen_at = excluded.seen_at`,
    ...[here.id, here.name, here.dir, at],
  );
  return subjects;
};

/** A row of the store's table of projects. */
export interface StoredProject {
  readonly project_id: string;
  readonly name: string;
  readonly dir: string;
}

const COLUMNS = 'SELECT project_id, name, dir FROM projects';

export const projectsNamed = (tx: ReadTx, name: string): Promise<readonly StoredProject[]> =>
  tx.all<{ project_id: string; name: string; dir: string }>(
    `${COLUMNS} WHERE name = ? ORDER BY seen_at DESC, project_id LIMIT ?`,
    name,
    LEDGER_LIMITS.sameNamedProjects,
  );

export const projectWithId = (tx: ReadTx, id: string): Promise<StoredProject | undefined> =>
  tx.get<{ project_id: string; name: string; dir: string }>(
    `${COLUMNS} WHERE project_id = ? ORDER BY seen_at DESC LIMIT 1`,
    id,
  );
