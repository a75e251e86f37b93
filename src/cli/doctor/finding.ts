// The types of `colibri doctor`: a check, its findings, and the scene (what the checks look at).
import type { Config } from '../../config.js';
import type { Identity } from '../../start/identity.js';
import type { NoProject, Project } from '../../start/project.js';
import type { Look } from '../../store/sqlite/look.js';
import type { StoreAt } from '../place.js';

export interface DoctorFinding {
  readonly state: 'ok' | 'warning' | 'problem';
  readonly message: string;
  /** What to do about it. */
  readonly remedy?: string;
  /** Further lines to print below the message. */
  readonly details?: readonly string[];
}

/** What the checks look at; parts that are broken are missing. */
export interface Scene {
  readonly config: Config;
  readonly project: Project | NoProject;
  /** Undefined if there is no project. */
  readonly identity: Identity | undefined;
  /** Findings about wrong settings, which are then ignored. */
  readonly settings: readonly DoctorFinding[];
  /** Where the store is or would be. */
  readonly at: StoreAt | undefined;
  /** Why there is no store. */
  readonly noStore: DoctorFinding | undefined;
  /** What SQLite says about the store; a finding if it cannot be opened. */
  readonly look: Look | DoctorFinding | undefined;
}

/** A check never changes anything. If it throws, that is reported as a problem. */
export interface Check {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<readonly DoctorFinding[]> | readonly DoctorFinding[];
}

export const ok = (message: string): DoctorFinding => ({ state: 'ok', message });
export const warning = (message: string, remedy: string): DoctorFinding => ({ state: 'warning', message, remedy });
export const problem = (message: string, remedy: string): DoctorFinding => ({ state: 'problem', message, remedy });

/** The store if its records can be read: it opens, and has the schema of this version. */
export const openable = ({ at, look }: Scene): StoreAt | undefined =>
  look !== undefined && 'version' in look && look.version === look.newest ? at : undefined;
