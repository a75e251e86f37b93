// The servers of project files that the user has agreed to, each with the entry that was agreed to, in the user's state directory. Only
// the user's own commands write it; a repository cannot.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import type { Members } from './asked.js';

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
  readonly entry?: Members;
  /** Those that name the server, by name. */
  readonly routes?: Members;
}

export const approvalsFile = (stateDir: string): string => join(stateDir, 'approvals.json');

const isApproval = (value: unknown): value is Approval => {
  if (typeof value !== 'object' || value === null) return false;
  const { digest, server, file } = value as Partial<Record<keyof Approval, unknown>>;
  return [digest, server, file].every((text) => typeof text === 'string');
};

/** A file that cannot be read approves nothing. */
export const readApprovals = (stateDir: string): readonly Approval[] => {
  try {
    const { approved } = JSON.parse(readFileSync(approvalsFile(stateDir), 'utf8')) as { approved?: unknown };
    return Array.isArray(approved) ? approved.filter(isApproval) : [];
  } catch {
    return [];
  }
};

const replaceApprovals = (stateDir: string, approved: readonly Approval[]): void =>
  replaceFile(approvalsFile(stateDir), `${JSON.stringify({ version: 1, approved }, undefined, 2)}\n`);

/** Of a server in a project the last one counts: what was agreed to before it is agreed to no longer. */
const placeOf = ({ project, server, digest }: Approval): string =>
  project === undefined ? digest : JSON.stringify([project, server]);

export const addApprovals = (stateDir: string, added: readonly Approval[]): void => {
  const known = new Map(readApprovals(stateDir).map((approval) => [placeOf(approval), approval]));
  for (const approval of added) known.set(placeOf(approval), approval);
  replaceApprovals(stateDir, [...known.values()]);
};

export const removeApprovals = (stateDir: string, digests: readonly string[]): void => {
  const known = readApprovals(stateDir);
  const kept = known.filter(({ digest }) => !digests.includes(digest));
  if (kept.length < known.length) replaceApprovals(stateDir, kept);
};
