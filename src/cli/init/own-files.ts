// Reports the changes of Colibri's own files in the state directory (secrets, approvals) when init runs, and predicts and reports them
// when a run is undone. The contents of the files are not shown.
import { existsSync } from 'node:fs';
import { count } from '../../core/figures.js';
import { approvalsFile, readApprovals } from '../../switchboard/config/approvals.js';
import { type Secrets, secretsFile } from '../../switchboard/config/secrets.js';
import { type Out, paint, plain } from '../screen/print.js';
import type { Changes } from './changes.js';
import type { InitRun } from './journal.js';
import { type Reversal, readIfPossible } from './undo.js';

export interface OwnFile {
  readonly file: string;
  readonly isNew: boolean;
  readonly what: string;
}

export const ownFiles = ({ files, approvals, secrets }: Changes, stateDir: string): readonly OwnFile[] => {
  if (files.length === 0) return [];
  const names = Object.keys(secrets);
  const own = (file: string, what: string): OwnFile => ({ file, isNew: !existsSync(file), what });
  const gotSecrets = `gets ${count(names.length, 'secret')}: ${names.join(', ')}`;
  const gotApprovals = `gets the approval of ${count(approvals.length, 'server')} of the project's file`;
  return [
    ...(names.length > 0 ? [own(secretsFile(stateDir), gotSecrets)] : []),
    ...(approvals.length > 0 ? [own(approvalsFile(stateDir), gotApprovals)] : []),
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

/** A secret that leaves the secrets file when init is undone. */
interface Returning {
  readonly name: string;
  /** The clients' files that contain the secret again. */
  readonly into: readonly string[];
}

/** True if the text contains the value, also escaped as in JSON and TOML. */
const holds = (text: string, value: string): boolean =>
  text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));

const finalText = ({ how, written, after }: Reversal): string =>
  how === 'stuck' ? readIfPossible(written.file) : (after ?? '');

/** Predicts which secrets leave the secrets file when undoRun runs; `staying` are the runs that are not undone. */
export const returningSecrets = (
  going: readonly InitRun[],
  staying: readonly InitRun[],
  reversals: readonly Reversal[],
  known: Secrets,
): readonly Returning[] => {
  const ends = [...new Map(reversals.map((one) => [one.written.file, finalText(one)]))];
  const isNeeded = (name: string): boolean =>
    staying.some(({ secrets }) => secrets.includes(name)) ||
    ends.some(([, text]) => text.includes(`\${secret:${name}}`));
  return [...new Set(going.flatMap(({ secrets }) => secrets))].flatMap((name) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined;
    if (value === undefined || isNeeded(name)) return [];
    return [{ name, into: ends.filter(([, text]) => holds(text, value)).map(([file]) => file) }];
  });
};

export const returningLines = (
  returning: readonly Returning[],
  known: Secrets,
  stateDir: string,
): readonly string[] => {
  if (returning.length === 0) return [];
  const isWhole = returning.length === Object.keys(known).length;
  return [
    `${paint('bold', plain(secretsFile(stateDir)))} (secrets of servers that had moved): ${isWhole ? 'removed' : 'loses these secrets'}`,
    ...returning.map(({ name, into }) => {
      const where = into.length === 0 ? 'no restored file contains it' : `put back into ${into.join(', ')}`;
      return plain(`  ${name}: ${where}`);
    }),
  ];
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
  const how = returning.length === Object.keys(known).length ? 'removed' : 'edited';
  return [
    ...(returning.length > 0 ? [{ file: secretsFile(stateDir), how } as const] : []),
    ...(losesApproval ? [{ file: approvalsFile(stateDir), how: 'edited' } as const] : []),
  ];
};
