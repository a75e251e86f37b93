// Predicts and shows which secrets leave the secrets file when init is undone and the servers return to the clients' files.
import { type Secrets, secretsFile } from '../../switchboard/config/secrets.js';
import { paint, plain } from '../screen/print.js';
import type { InitRun } from './journal.js';
import { type Reversal, readIfPossible } from './undo.js';

/** A secret that leaves the secrets file when init is undone. */
export interface Returning {
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
    ...returning.map(({ name, into }) =>
      plain(
        into.length === 0 ? `  ${name}: no restored file contains it` : `  ${name}: put back into ${into.join(', ')}`,
      ),
    ),
  ];
};
