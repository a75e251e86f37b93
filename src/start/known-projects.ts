// The projects of this user on this machine: which id was first seen at which path. A repository can ship somebody's id, so an id counts
// at a path only where this file pairs them. In the state directory, changed under its lock.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProjectId } from '../core/project-id.js';
import { systemCode } from '../errors.js';
import { changeState, type HeldState, type StateFile } from '../files/held-file.js';

export interface KnownProject {
  readonly id: string;
  /** What the id was first seen at: the project's folder, or the git directory that its worktrees share. */
  readonly path: string;
  /** ISO 8601, for people. */
  readonly at: string;
  /** A person has said that the tasks which have only its name are this project's. */
  readonly takesNamed?: true;
}

interface Table {
  readonly version: 1;
  readonly projects: readonly KnownProject[];
}

const knownProjectsFile = (stateDir: string): string => join(stateDir, 'projects.json');

const isKnown = (value: unknown): value is KnownProject => {
  const { id, path } = (value ?? {}) as Partial<KnownProject>;
  return typeof id === 'string' && isProjectId(id) && typeof path === 'string';
};

const parse = (text: string): Table | undefined => {
  const { projects } = JSON.parse(text) as { projects?: unknown };
  return Array.isArray(projects) && projects.every(isKnown) ? { version: 1, projects } : undefined;
};

const fileIn = (stateDir: string): StateFile<Table> => ({ path: knownProjectsFile(stateDir), parse });

/** Undefined: there is a file that cannot be read, so nothing may be taken for new. */
export const readKnownProjects = (stateDir: string): readonly KnownProject[] | undefined => {
  try {
    return parse(readFileSync(knownProjectsFile(stateDir), 'utf8'))?.projects;
  } catch (thrown) {
    return systemCode(thrown) === 'ENOENT' ? [] : undefined;
  }
};

/** The table as `change` makes it. Returns what is known then. */
export const changeKnownProjects = (
  held: HeldState,
  change: (now: readonly KnownProject[]) => readonly KnownProject[],
): readonly KnownProject[] => {
  let after: readonly KnownProject[] = [];
  changeState<Table>(held, fileIn(held.dir), (now) => {
    const before = now?.projects ?? [];
    after = change(before);
    return after === before ? now : { version: 1, projects: after };
  });
  return after;
};

/** Whether a project of this name is known at one path alone. */
export const isOnlyOne = (known: readonly KnownProject[], name: string): boolean =>
  new Set(known.map(({ path }) => path).filter((path) => basename(path) === name)).size <= 1;
