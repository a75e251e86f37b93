// The command `colibri prune`: asks the user, removes the stored arguments of old calls, and tells what was removed.
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { type Space, spaceIn } from '../../store/sqlite/space.js';
import { assertMayWrite } from '../access.js';
import { confirmed } from '../confirm.js';
import { copiesBeside } from '../leftovers.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { plain, say, sayAnswer, sayJson, tell } from '../screen/print.js';
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
}

const notesOf = ({ path }: StoreAt, { free }: Space): string[] => [
  ...(free === 0
    ? []
    : [
        `${bytesText(free)} of the file are free and will be used again; --compact with no server running returns them.`,
      ]),
  ...copiesBeside(path, (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0),
];

const show = ({
  before,
  pruned,
  bytes,
  records,
  file,
  notes,
}: Omit<Awaited<ReturnType<typeof prune>>, 'refused'>): void => {
  if (pruned === 0) say(`No arguments are kept of calls before ${before}.`);
  else {
    say(`Pruned ${oldText({ rows: pruned, bytes }, before)}.`);
    say(`${count(records, 'record names', 'records name')} what was pruned; every proof stays valid.`);
  }
  const smaller = file.was - file.bytes;
  if (smaller > 0) say(`The file of the store became ${bytesText(smaller)} smaller: ${bytesText(file.bytes)}.`);
  for (const note of notes) say(plain(note));
};

const oldText = ({ rows, bytes }: Amount, before: string): string =>
  `the arguments of ${count(rows, 'call')} before ${before} (${bytesText(bytes)})`;

const agreed = async (old: Amount, before: string): Promise<boolean> => {
  tell(`Pruning removes ${oldText(old, before)}.`);
  const yes = await confirmed('Prune the arguments for good?');
  if (!yes) tell('Nothing was pruned.');
  return yes;
};

const checkedBefore = (text: string): string => {
  const before = parseWhen(text, '--before', Date.now());
  if (Date.parse(before) <= Date.now()) return before;
  throw wrong(`--before ${before} is in the future.`, 'Give a date in the past, or an age like 30d.');
};

const ON_SERVER = 'The server frees the space by itself (autovacuum); its own backups still have the arguments.';

const prune = async (at: StoreAt, before: string, old: Amount, compacts: boolean) => {
  const isFile = at.engine === 'sqlite';
  const was = isFile ? spaceIn(at.path).bytes : 0;
  const progress = progressOn(process.stderr, 'pruning');
  const { rows: pruned, records } =
    old.rows === 0 ? { rows: 0, records: 0 } : await pruneOld(at, before, old.rows, progress);
  /** Why the store's file was not compacted; undefined if it was. */
  const refused = compacts ? await compact(at) : undefined;
  const now = isFile ? spaceIn(at.path) : { bytes: 0, free: 0 };
  const about = isFile
    ? { file: { was, ...now }, notes: notesOf(at, now) }
    : { file: { was, ...now }, notes: [ON_SERVER] };
  return { before, pruned, bytes: old.bytes, records, refused, ...about };
};

const run = async (options: PruneOptions): Promise<number> => {
  const before = checkedBefore(options.before);
  const at = findStore(options);
  if (!options.dryRun) assertMayWrite(at);
  if (options.compact && at.engine !== 'sqlite')
    throw wrong('--compact is for a file.', 'Run VACUUM FULL payloads on the server, while nobody uses the store.');
  const old = await measureOld(at, before, progressOn(process.stderr, 'looking'));
  if (options.dryRun) {
    sayAnswer(options.json, { before, would_prune: old.rows, bytes: old.bytes }, () => [
      `Would prune ${oldText(old, before)}.`,
    ]);
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
  storeCommand('prune', 'remove the kept arguments of old calls; every proof stays valid', AFTER, run)
    .requiredOption('--before <when>', 'a date, yesterday, or an age such as 30d')
    .option('--dry-run', 'say how many there are and change nothing')
    .option('--compact', 'give the space back to the disk; no server may be running')
    .option('--yes', 'do not ask');
