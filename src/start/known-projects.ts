// The table of this user's projects on this machine: which project id was first seen at which path. A repository can ship somebody's id, so
// an id is valid at a path only if this table pairs them. The file is in the state directory and is changed under that directory's lock.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProjectId } from '../core/project-id.js';
import { systemCode } from '../errors.js';
import { changeState, type HeldState, type StateFile } from '../files/held-file.js';

export interface KnownProject {
  readonly id: string;
  /** The path at which the project's id was first seen: the project's folder, or the git directory that its worktrees share. */
  readonly path: string;
  /** When the project's id was first seen (ISO 8601), for people. */
  readonly at: string;
  /** True if a person has confirmed that tasks with this project's name and no project id belong to this project. */
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

/** The table of known projects; undefined if its file exists but cannot be read: then no project may be treated as new. */
export const readKnownProjects = (stateDir: string): readonly KnownProject[] | undefined => {
  try {
    return parse(readFileSync(knownProjectsFile(stateDir), 'utf8'))?.projects;
  } catch (thrown) {
    return systemCode(thrown) === 'ENOENT' ? [] : undefined;
  }
};

/** Replaces the table of known projects by what `change` returns, and returns the new entries. */
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

/** Whether a project of this name is known at no more than one path. */
export const isOnlyOne = (known: readonly KnownProject[], name: string): boolean =>
  new Set(known.map(({ path }) => path).filter((path) => basename(path) === name)).size <= 1;
