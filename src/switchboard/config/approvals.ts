// The connections of project files that the user has agreed to, by digest, in the user's state directory. Only the user's own
// commands write it; a repository cannot.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';

export interface Approval {
  /** connectionDigest of the server. */
  readonly digest: string;
  /** For people who look into the file. */
  readonly server: string;
  readonly file: string;
  readonly at: string;
}

export const approvalsFile = (stateDir: string): string => join(stateDir, 'approvals.json');

const isApproval = (value: unknown): value is Approval =>
  typeof value === 'object' && value !== null && typeof (value as Approval).digest === 'string';

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

export const addApprovals = (stateDir: string, added: readonly Approval[]): void => {
  const known = new Map(readApprovals(stateDir).map((approval) => [approval.digest, approval]));
  for (const approval of added) known.set(approval.digest, approval);
  replaceApprovals(stateDir, [...known.values()]);
};

export const removeApprovals = (stateDir: string, digests: readonly string[]): void => {
  const known = readApprovals(stateDir);
  const kept = known.filter(({ digest }) => !digests.includes(digest));
  if (kept.length < known.length) replaceApprovals(stateDir, kept);
};
