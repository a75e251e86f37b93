// The types of `colibri doctor`: a check, its findings, and the scene (settings, project and store, which the checks inspect).
import type { Config } from '../../config.js';
import type { Identity } from '../../start/identity.js';
import type { NoProject, Project } from '../../start/project.js';
import type { Look } from '../../store/sqlite/look.js';
import type { StoreAt } from '../place.js';

export interface DoctorFinding {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What the person can do about the finding. */
  readonly remedy?: string;
  /** Further lines to print below the finding's message. */
  readonly details?: readonly string[];
}

/** The settings, project and store that the checks inspect; parts that are broken are undefined. */
export interface Scene {
  readonly config: Config;
  readonly project: Project | NoProject;
  /** The identity of the project; undefined if there is no project. */
  readonly identity: Identity | undefined;
  /** Findings about settings with wrong values; doctor ignores these settings. */
  readonly settings: readonly DoctorFinding[];
  /** The place where the store is or would be. */
  readonly at: StoreAt | undefined;
  /** The finding that says why no place for a store could be chosen. */
  readonly noStore: DoctorFinding | undefined;
  /** What SQLite reports about the store; a finding if the store cannot be opened. */
  readonly look: Look | DoctorFinding | undefined;
}

/** One check of doctor. A check never changes anything. If a check throws, doctor reports a problem. */
export interface Check {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<readonly DoctorFinding[]> | readonly DoctorFinding[];
}

export const ok = (message: string): DoctorFinding => ({ state: 'ok', message });
export const warning = (message: string, remedy: string): DoctorFinding => ({ state: 'warning', message, remedy });
export const problem = (message: string, remedy: string): DoctorFinding => ({ state: 'problem', message, remedy });

/** The store if its records can be read: SQLite opens it, and it has the schema of this version. */
export const openable = ({ at, look }: Scene): StoreAt | undefined =>
  look !== undefined && 'version' in look && look.version === look.newest ? at : undefined;
