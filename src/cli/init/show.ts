// Prints the changes that init plans, has made, or undoes.
import type { Mention } from '../../clients/mentions.js';
import { CLI_LIMITS } from '../limits.js';
import { type Colour, type Out, paint, plain } from '../screen/print.js';
import { cut, screenWidth } from '../screen/width.js';
import { type LostRoute, lostRoutes, lostRouteText } from '../switchboard/losses.js';
import type { FileChange } from './changes.js';
import { diffLines } from './diff-lines.js';
import type { ImportRow } from './moved.js';
import type { Reversal } from './undo.js';

type Say = Out['say'];

const COLOURS: Readonly<Record<string, Colour>> = { '+': 'green', '-': 'red', '…': 'dim', ' ': 'dim' };

/** Prints each line of a difference without wrapping: a wrapped line would look like two lines. */
const showDiff = (
  before: string | undefined,
  after: string | undefined,
  known: readonly string[],
  { exactly }: Out,
): void => {
  for (const { sign, text } of diffLines(before, after, known)) {
    exactly(paint(COLOURS[sign] ?? 'dim', `  ${sign} ${plain(text.replaceAll('\t', '  '))}`.trimEnd()));
  }
};

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

export const showChange = (
  { file, what, before, after, own }: FileChange,
  known: readonly string[],
  out: Out,
): void => {
  out.say(`${paint('bold', plain(file))} (${plain(what)}${before === undefined ? ', new' : ''})`);
  for (const args of own?.commands ?? []) {
    out.say(`  by the client's own command: ${plain([own?.program ?? '', ...args].map(shellWord).join(' '))}`);
  }
  showDiff(before, after, known, out);
  out.say('');
};

const VERDICTS: Readonly<Record<ImportRow['verdict'], Colour>> = {
  moved: 'green',
  changed: 'green',
  left: 'yellow',
  untried: 'dim',
};

export const showRows = (rows: readonly ImportRow[], say: Say): void => {
  if (rows.length === 0) say('No client has servers to move.');
  for (const { client, scope, server, verdict, into, why } of rows) {
    const where = `${client}, ${scope}${into === null ? '' : ` → ${into}`}`;
    say(`  ${paint(VERDICTS[verdict], verdict.padEnd(8))} ${paint('bold', plain(server))}  ${plain(where)}`);
    for (const reason of why) say(`             ${plain(reason)}`);
  }
  say('');
};

const serverLines = (rows: readonly ImportRow[]): readonly string[] => {
  if (rows.length === 0) return [];
  const verdicts = Object.keys(VERDICTS).map((verdict) => {
    const { length } = rows.filter((row) => row.verdict === verdict);
    return length === 0 ? [] : [`${verdict} ${length}`];
  });
  const left = rows.filter(({ verdict }) => verdict === 'left');
  return [
    `servers: ${verdicts.flat().join(', ')}`,
    ...left
      .slice(0, CLI_LIMITS.leftServers)
      .map(({ server, client, why }) => `  left ${server} (${client}): ${why.join('; ')}`),
    ...(left.length > CLI_LIMITS.leftServers
      ? [`  and ${left.length - CLI_LIMITS.leftServers} more that are left; see above`]
      : []),
  ];
};

/** Prints a summary above the question, because the details may be screens above. */
export const showSummary = (
  files: readonly { readonly file: string; readonly isNew: boolean }[],
  rows: readonly ImportRow[],
  say: Say,
): void => {
  say(paint('bold', 'In short:'));
  for (const { file, isNew } of files) say(`  ${(isNew ? 'new' : 'edited').padEnd(6)} ${plain(file)}`);
  for (const line of serverLines(rows)) say(`  ${cut(plain(line), screenWidth() - 2)}`);
};

export const showRules = (rules: readonly Mention[], say: Say): void => {
  if (rules.length === 0) return;
  say('These rules and hooks name a moved tool; change them yourself:');
  for (const { file, line, found, becomes } of rules) say(`  ${plain(`${file}:${line}  ${found} → ${becomes}`)}`);
  say('');
};

const HOW: Readonly<Record<Reversal['how'], string>> = {
  restored: 'as it was, byte for byte',
  edited: 'our part is removed, the rest stays',
  nothing: 'nothing to do',
  left: 'stays as it is',
  stuck: 'cannot be undone',
};

/**
 * The routes that lose a server because the undo returns it to its client. People added these routes to the switchboard file after the run.
 */
const lostBy = ({ written, current, after }: Reversal): readonly LostRoute[] => {
  const isBoard = written.inverse.kind === 'servers' && written.inverse.client === undefined;
  return isBoard && current !== undefined && after !== undefined ? lostRoutes(written.file, current, after) : [];
};

export const showReversal = (reversal: Reversal, known: readonly string[], out: Out): void => {
  const { written, how, current, after, why } = reversal;
  const gone = how === 'restored' && after === undefined ? 'removed: it did not exist before' : HOW[how];
  out.say(
    `${paint('bold', plain(written.file))} (${plain(written.what)}): ${gone}${why === '' ? '' : `; ${plain(why)}`}`,
  );
  if (how === 'edited') showDiff(current, after, known, out);
  for (const lost of lostBy(reversal)) out.say(`  ${paint('yellow', plain(lostRouteText(lost)))}`);
};
