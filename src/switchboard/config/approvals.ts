// The servers of project files that the user has agreed to, each with the entry that was agreed to, in the user's state directory. Only
// the user's own commands write it; a repository cannot.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changeState, type HeldState, type StateFile } from '../../files/held-file.js';
import type { JsonObject } from '../../proof/json-object.js';

export interface Approval {
  /** Of all that follows but `file` and `at`; of the connection alone where there is no `project`. */
  readonly digest: string;
  /** For people who look into the file. */
  readonly server: string;
  readonly file: string;
  readonly at: string;
  /** Real path of the project. Absent: approved before approvals covered more than the connection. */
  readonly project?: string;
  readonly scope?: 'project';
  /** As it was written, variables and secrets by name. */
  readonly entry?: JsonObject;
  /** Those that name the server, by name. */
  readonly routes?: JsonObject;
}

interface Approvals {
  readonly version: 1;
  readonly approved: readonly Approval[];
}

export const approvalsFile = (stateDir: string): string => join(stateDir, 'approvals.json');

const isApproval = (value: unknown): value is Approval => {
  if (typeof value !== 'object' || value === null) return false;
  const { digest, server, file } = value as Partial<Record<keyof Approval, unknown>>;
  return [digest, server, file].every((text) => typeof text === 'string');
};

const parse = (text: string): Approvals | undefined => {
  const { approved } = JSON.parse(text) as { approved?: unknown };
  return Array.isArray(approved) ? { version: 1, approved: approved.filter(isApproval) } : undefined;
};

const fileIn = (stateDir: string): StateFile<Approvals> => ({ path: approvalsFile(stateDir), parse });

/** A file that cannot be read approves nothing. */
export const readApprovals = (stateDir: string): readonly Approval[] => {
  try {
    return parse(readFileSync(approvalsFile(stateDir), 'utf8'))?.approved ?? [];
  } catch {
    return [];
  }
};

/** Of a server in a project the last one counts: what was agreed to before it is agreed to no longer. */
const placeOf = ({ project, server, digest }: Approval): string =>
  project === undefined ? digest : JSON.stringify([project, server]);

export const addApprovals = (held: HeldState, added: readonly Approval[]): void =>
  changeState<Approvals>(held, fileIn(held.dir), (now) => {
    const known = new Map(now?.approved.map((approval) => [placeOf(approval), approval]));
    for (const approval of added) known.set(placeOf(approval), approval);
    return { version: 1, approved: [...known.values()] };
  });

export const removeApprovals = (held: HeldState, digests: readonly string[]): void => {
  if (digests.length === 0) return;
  changeState<Approvals>(held, fileIn(held.dir), (now) => {
    const kept = now?.approved.filter(({ digest }) => !digests.includes(digest));
    return kept === undefined || kept.length === now?.approved.length ? now : { version: 1, approved: kept };
  });
};
