// Reads and writes the user's approvals of servers in project files, each with the entry that was approved. The approvals file is in the
// user's state directory, and only the user's own commands write it; a repository cannot.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly } from '../../errors.js';
import { changeState, type HeldState, type StateFile } from '../../files/held-file.js';
import type { JsonObject } from '../../proof/canonical-json.js';

export interface Approval {
  /** The SHA-256 of all other members except `file` and `at`; in an approval without `project`, the SHA-256 of the server's connection alone. */
  readonly digest: string;
  readonly server: string;
  readonly file: string;
  readonly at: string;
  /** The real path of the project's folder. Absent in approvals that an older version of Colibri wrote: these cover only the connection. */
  readonly project?: string;
  readonly scope?: 'project';
  /** The server's entry as the switchboard file has it: variables and secrets are names, not values. */
  readonly entry?: JsonObject;
  /** The approved routes that have a tool of the server as a provider, by route name. */
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

/** The approvals in the state directory; none if the approvals file cannot be read. */
export const readApprovals = (stateDir: string): readonly Approval[] =>
  quietly(() => parse(readFileSync(approvalsFile(stateDir), 'utf8')))?.approved ?? [];

/** The key of an approval. A server of a project has at most one approval: a new approval replaces the old one with the same key. */
const approvalKey = ({ project, server, digest }: Approval): string =>
  project === undefined ? digest : JSON.stringify([project, server]);

export const addApprovals = (held: HeldState, added: readonly Approval[]): void =>
  changeState<Approvals>(held, fileIn(held.dir), (now) => {
    const known = new Map(now?.approved.map((approval) => [approvalKey(approval), approval]));
    for (const approval of added) known.set(approvalKey(approval), approval);
    return { version: 1, approved: [...known.values()] };
  });

export const removeApprovals = (held: HeldState, digests: readonly string[]): void => {
  if (digests.length === 0) return;
  changeState<Approvals>(held, fileIn(held.dir), (now) => {
    const kept = now?.approved.filter(({ digest }) => !digests.includes(digest));
    return kept === undefined || kept.length === now?.approved.length ? now : { version: 1, approved: kept };
  });
};
