// Reports the changes of Colibri's own files in the state directory (secrets, approvals) when init runs and when a run is undone. The
// contents of the files are not shown.
import { existsSync } from 'node:fs';
import { count } from '../../core/figures.js';
import { approvalsFile, readApprovals } from '../../switchboard/config/approvals.js';
import { type Secrets, secretsFile } from '../../switchboard/config/secrets.js';
import { type Out, paint, plain } from '../screen/print.js';
import type { Changes } from './changes.js';
import type { InitRun } from './journal.js';
import type { Returning } from './returning.js';
import { readIfPossible } from './undo.js';

export interface OwnFile {
  readonly file: string;
  readonly isNew: boolean;
  readonly what: string;
}

export const ownFiles = ({ files, approvals, secrets }: Changes, stateDir: string): readonly OwnFile[] => {
  if (files.length === 0) return [];
  const names = Object.keys(secrets);
  const own = (file: string, what: string): OwnFile => ({ file, isNew: !existsSync(file), what });
  return [
    ...(names.length > 0
      ? [own(secretsFile(stateDir), `gets ${count(names.length, 'secret')}: ${names.join(', ')}`)]
      : []),
    ...(approvals.length > 0
      ? [
          own(
            approvalsFile(stateDir),
            `gets the approval of ${count(approvals.length, 'server')} of the project's file`,
          ),
        ]
      : []),
  ];
};

export const showOwnFiles = (own: readonly OwnFile[], { say }: Out): void => {
  for (const { file, isNew, what } of own) {
    say(`${paint('bold', plain(file))} (${isNew ? 'new, ' : ''}only you may read it): ${plain(what)}`);
  }
  if (own.length > 0) say('');
};

export interface OwnReversal {
  readonly file: string;
  readonly how: 'edited' | 'removed';
}

const textsOf = (stateDir: string) =>
  [secretsFile(stateDir), approvalsFile(stateDir)].map(
    (file) => [file, existsSync(file) ? readIfPossible(file) : undefined] as const,
  );

/** Remembers the secrets and approvals files before an undo; the returned function lists those that have changed since. */
export const watchOwnFiles = (stateDir: string): (() => readonly OwnReversal[]) => {
  const before = new Map(textsOf(stateDir));
  return () =>
    textsOf(stateDir)
      .filter(([file, text]) => text !== before.get(file))
      .map(([file, text]) => ({ file, how: text === undefined ? 'removed' : 'edited' }));
};

/** Predicts for a dry run which of the secrets and approvals files an undo changes. */
export const ownReversals = (
  { going, staying }: { readonly going: InitRun; readonly staying: readonly InitRun[] },
  returning: readonly Returning[],
  known: Secrets,
  stateDir: string,
): readonly OwnReversal[] => {
  const needed = new Set(staying.flatMap(({ approvals }) => approvals));
  const losesApproval = readApprovals(stateDir).some(
    ({ digest }) => going.approvals.includes(digest) && !needed.has(digest),
  );
  const isEmptied = returning.length === Object.keys(known).length;
  return [
    ...(returning.length > 0
      ? [{ file: secretsFile(stateDir), how: isEmptied ? ('removed' as const) : ('edited' as const) }]
      : []),
    ...(losesApproval ? [{ file: approvalsFile(stateDir), how: 'edited' as const }] : []),
  ];
};
