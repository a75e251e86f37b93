// The command `colibri prune`: asks the user, removes the stored arguments of old calls, and tells what was removed.
import { existsSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { type Space, spaceIn } from '../../store/sqlite/space.js';
import { assertMayWrite } from '../access.js';
import { confirmed } from '../confirm.js';
import { findStore, type PlaceOptions, type StoreAt, withPlace } from '../place.js';
import { running } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { progressOn } from '../screen/progress.js';
import { wrong } from '../target.js';
import { parseWhen } from '../when.js';
import { type Amount, compact, measureOld, pruneOld } from './work.js';

const AFTER = `
Removes, for good, the kept arguments of old calls and what servers said when
their health changed. Records, hashes, tasks and thoughts stay, so every proof
and every verification stays valid. It works in short transactions beside
running servers; each has a \`prune\` record that names its calls. If it is
stopped half-way, what it has done stays done; run it again for the rest.

  colibri prune --before 30d --dry-run
                                says how many there are; changes nothing
  colibri prune --before 30d    older than thirty days (12h, 8w; a date:
                                2026-08-01, midnight UTC)
  colibri prune --before 30d --compact
                                also gives the space back to the disk, if no
                                server runs

Exit codes: 0 pruned, or nothing is that old; 1 failed, perhaps half-way;
130 interrupted at the question, and nothing was changed.`;

interface PruneOptions extends PlaceOptions {
  readonly before: string;
  readonly dryRun?: true;
  readonly compact?: true;
  readonly yes?: true;
  readonly json?: true;
}

interface Outcome {
  readonly before: string;
  readonly pruned: number;
  readonly bytes: number;
  readonly records: number;
  readonly file: { readonly was: number; readonly bytes: number; readonly free: number };
  readonly notes: readonly string[];
  /** Why the store's file was not compacted; undefined if it was. */
  readonly refused: string | undefined;
}

const notesOf = (at: StoreAt, { free }: Space): string[] => [
  ...(free === 0
    ? []
    : [
        `${bytesText(free)} of the file are free and will be used again; --compact with no server running returns them.`,
      ]),
  ...(statSync(`${at.path}-wal`, { throwIfNoEntry: false })?.size
    ? [
        'A running process still holds older pages in the write-ahead log; they are removed when it checkpoints that log or ends.',
      ]
    : []),
  ...(existsSync(`${at.path}.backups`)
    ? [`Backups in ${at.path}.backups were not changed and may still hold them.`]
    : []),
];

const show = ({ before, pruned, bytes, records, file, notes }: Omit<Outcome, 'refused'>): void => {
  if (pruned === 0) say(`No arguments are kept of calls before ${before}.`);
  else {
    say(`Pruned the arguments of ${count(pruned, 'call')} before ${before} (${bytesText(bytes)}).`);
    say(`${count(records, 'record says', 'records say')} so; every proof stays valid.`);
  }
  const smaller = file.was - file.bytes;
  if (smaller > 0) say(`The file became ${bytesText(smaller)} smaller: ${bytesText(file.bytes)}.`);
  for (const note of notes) say(plain(note));
};

const agreed = async ({ rows, bytes }: Amount, before: string): Promise<boolean> => {
  const what = `the arguments of ${count(rows, 'call')} before ${before} (${bytesText(bytes)})`;
  tell(`This removes ${what}.`);
  const yes = await confirmed('Prune them for good?');
  if (!yes) tell('Nothing was pruned.');
  return yes;
};

const checkedBefore = (text: string): string => {
  const before = parseWhen(text, '--before', Date.now());
  if (Date.parse(before) <= Date.now()) return before;
  throw wrong(`--before ${before} is in the future.`, 'Give a date in the past, or an age like 30d.');
};

const showOld = ({ rows, bytes }: Amount, before: string, json: true | undefined): void => {
  if (json) sayJson({ before, would_prune: rows, bytes });
  else say(`Would prune the arguments of ${count(rows, 'call')} before ${before} (${bytesText(bytes)}).`);
};

const prune = async (at: StoreAt, before: string, old: Amount, compacts: boolean): Promise<Outcome> => {
  const was = spaceIn(at.path).bytes;
  const progress = progressOn(process.stderr, 'pruning');
  const done = old.rows === 0 ? { rows: 0, records: 0 } : await pruneOld(at, before, old.rows, progress);
  const refused = compacts ? await compact(at) : undefined;
  const now = spaceIn(at.path);
  const { rows: pruned, records } = done;
  const file = { was, ...now };
  return { before, pruned, bytes: old.bytes, records, file, refused, notes: notesOf(at, now) };
};

const run = async (options: PruneOptions): Promise<number> => {
  const before = checkedBefore(options.before);
  const at = findStore(options);
  if (!options.dryRun) assertMayWrite(at);
  const old = await measureOld(at, before, progressOn(process.stderr, 'looking'));
  if (options.dryRun) {
    showOld(old, before, options.json);
    return 0;
  }
  if (old.rows > 0 && options.yes !== true && !(await agreed(old, before))) return EXIT_FAILED;
  const { refused, ...outcome } = await prune(at, before, old, options.compact === true);
  if (options.json) sayJson(outcome);
  else show(outcome);
  if (refused !== undefined) tell(`colibri: ${refused}`);
  return refused === undefined ? 0 : EXIT_FAILED;
};

export const pruneCommand = (): Command =>
  withPlace(new Command('prune'))
    .description('remove the kept arguments of old calls; every proof stays valid')
    .requiredOption('--before <when>', 'a date, or an age such as 30d')
    .option('--dry-run', 'say how many there are and change nothing')
    .option('--compact', 'give the space back to the disk; no server may be running')
    .option('--yes', 'do not ask')
    .addHelpText('after', AFTER)
    .action(running(run));
