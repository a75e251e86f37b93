// Files of ours in the state directory that a run of init writes besides those whose contents it shows.
import { existsSync } from 'node:fs';
import { approvalsFile } from '../switchboard/approvals.js';
import { secretsFile } from '../switchboard/secrets.js';
import type { Changes } from './init-changes.js';
import { count, type Out, paint, plain } from './print.js';

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
      ? [own(approvalsFile(stateDir), `agrees to ${count(approvals.length, 'server')} of the project's file`)]
      : []),
  ];
};

export const showOwnFiles = (own: readonly OwnFile[], { say }: Out): void => {
  for (const { file, isNew, what } of own) {
    say(`${paint('bold', plain(file))} (${isNew ? 'new, ' : ''}only you may read it): ${plain(what)}`);
  }
  if (own.length > 0) say('');
};
