// The connections of project files that the user has agreed to, by digest, in the user's state directory. Only the user's own
// commands write it; a repository cannot.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Whole or not at all: a reader never sees half of it. */
const replaceFile = (file: string, text: string): void => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { mode: PRIVATE, flag: 'wx' });
  renameSync(draft, file);
};

export const addApprovals = (stateDir: string, added: readonly Approval[]): void => {
  const known = new Map(readApprovals(stateDir).map((approval) => [approval.digest, approval]));
  for (const approval of added) known.set(approval.digest, approval);
  const file = approvalsFile(stateDir);
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
  replaceFile(file, `${JSON.stringify({ version: 1, approved: [...known.values()] }, undefined, 2)}\n`);
};
