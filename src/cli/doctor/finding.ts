// What a check of `colibri doctor` comes to.
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
  /** Lines that belong to it. */
  readonly details?: readonly string[];
}

/** What the checks look at; parts are missing where things are broken. */
export interface Scene {
  readonly config: Config;
  readonly project: Project | NoProject;
  /** Undefined: there is no project. */
  readonly identity: Identity | undefined;
  /** What is wrong with the settings; they were left out. */
  readonly settings: readonly DoctorFinding[];
  /** Where the store is or would be. */
  readonly at: StoreAt | undefined;
  /** Why there is none to look at. */
  readonly noStore: DoctorFinding | undefined;
  /** What the engine says of it; a finding where it cannot be opened. */
  readonly look: Look | DoctorFinding | undefined;
}

/** Never changes anything. What it throws is told as a problem of that check. */
export interface Check {
  readonly name: string;
  readonly run: (scene: Scene) => Promise<readonly DoctorFinding[]> | readonly DoctorFinding[];
}

export const ok = (message: string): DoctorFinding => ({ state: 'ok', message });
export const warning = (message: string, remedy: string): DoctorFinding => ({ state: 'warning', message, remedy });
export const problem = (message: string, remedy: string): DoctorFinding => ({ state: 'problem', message, remedy });

/** The store, where it could be opened and has the schema of this program: what its records say can be asked. */
export const openable = ({ at, look }: Scene): StoreAt | undefined =>
  look !== undefined && 'version' in look && look.version === look.newest ? at : undefined;
