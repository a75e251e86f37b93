// What becomes of the secrets that init took out of clients' files when their servers go back there.
import { type Secrets, secretsFile } from '../../switchboard/config/secrets.js';
import { paint, plain } from '../screen/print.js';
import type { InitRun } from './journal.js';
import { type Reversal, readIfPossible } from './undo.js';

/** A secret that leaves the secrets file. */
export interface Returning {
  readonly name: string;
  /** The files that hold it again. */
  readonly into: readonly string[];
}

/** As JSON and TOML write it. */
const holds = (text: string, value: string): boolean =>
  text.includes(value) || text.includes(JSON.stringify(value).slice(1, -1));

const endOf = ({ how, written, after }: Reversal): string =>
  how === 'stuck' ? readIfPossible(written.file) : (after ?? '');

/** Foretells what takeBack does; `staying` are the runs that are not taken back. */
export const returningSecrets = (
  going: readonly InitRun[],
  staying: readonly InitRun[],
  reversals: readonly Reversal[],
  known: Secrets,
): readonly Returning[] => {
  const ends = [...new Map(reversals.map((one) => [one.written.file, endOf(one)]))];
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
    `${paint('bold', plain(secretsFile(stateDir)))} (secrets of servers that had moved): ${isWhole ? 'removed' : 'loses these'}`,
    ...returning.map(({ name, into }) =>
      plain(
        into.length === 0 ? `  ${name}: in no file that is put back` : `  ${name}: put back into ${into.join(', ')}`,
      ),
    ),
  ];
};
