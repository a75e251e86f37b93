// The command `colibri log`: its options, its help, and whether it lists, follows, shows or explains records.
import { type Command, Option } from 'commander';
import { figure } from '../../core/figures.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore } from '../place.js';
import { numberUpTo } from '../place-options.js';
import { storeCommand } from '../run.js';
import { wrong } from '../target.js';
import { checkedOptions, type LogOptions } from './filter.js';
import { followLog } from './follow.js';
import { list } from './list.js';
import { showRecord } from './record.js';

const AFTER = `
The newest calls first, of all processes that use the store. Nothing is written.

  colibri log                       the last 20 calls
  colibri log --follow              the last ones, then new ones as they come
  colibri log --failed --since today
                                    everything that did not end well
  colibri log --outcome unknown     calls that may or may not have worked
  colibri log --tool task_update --client claude-code
  colibri log --server search --since 2h
                                    calls of a server behind the switchboard
  colibri log --task T-0042         calls about this task, thoughts included
  colibri log --kind health --kind boot
                                    other records than calls
  colibri log 3b241101-…            one call in full: what was asked, what it
                                    changed, how to prove it
  colibri log 9f3c/17               the same by its record; or by a thought's id
  colibri log 3b2411                the same by the beginning of its id
  colibri log --explain 3b2411      why it was routed, refused or rejected, and
                                    what was said about its error

Outcomes: ok, is_error (the server answered with an error), domain_error,
rejected, refused, failed, cancelled, interrupted; running: its process is
alive; lost: its process died; unknown: it may or may not have had its effect.
Times: 30m, 2h, 7d (ago), today, yesterday, 14:30 (of your clock), 2026-11-16
(midnight UTC), 2026-11-16T14:30Z.

There is no index over what records say: a search reads the newest
${figure(CLI_LIMITS.lookRecords)} records and says if there are more; --all reads them too.

Exit codes: 0, 1 failed.`;

const log = async (text: string | undefined, given: LogOptions): Promise<number> => {
  const now = Date.now();
  const options = checkedOptions(given, now);
  if (text === undefined && options.explain)
    throw wrong('--explain needs a call.', 'Name the call by its id or its record.');
  if (text !== undefined && options.follow)
    throw wrong('--follow does not go with a record.', 'Leave out --follow or the record.');
  if (options.until !== undefined && options.follow)
    throw wrong('--follow and --until exclude each other.', 'Give one.');
  const at = findStore(options);
  if (text !== undefined) return showRecord(at, text, options);
  return options.follow ? followLog(at, options) : list(at, options, now);
};

const gather = (value: string, before: readonly string[]): string[] => [...before, value];
const repeated = (flags: string, what: string): Option =>
  new Option(flags, `${what}; repeatable`).default([], 'all').argParser(gather);

export const logCommand = (): Command =>
  storeCommand('log', 'what was called, by whom, and how it ended', AFTER, log)
    .argument('[record]', 'one call in full: its id or the beginning of it, <log>/<seq> or <seq>')
    .addOption(repeated('--tool <name>', 'calls of this tool'))
    .addOption(repeated('--outcome <outcome>', 'calls with this outcome'))
    .option('--failed', 'calls that did not end well, whatever the reason')
    .addOption(repeated('--client <name>', 'calls of this client'))
    .addOption(repeated('--server <name>', 'calls of this server behind the switchboard'))
    .option('--task <id>', 'calls about a task')
    .option('--session <id>', 'calls about a session')
    .option('--since <time>', 'not before')
    .option('--until <time>', 'before')
    .addOption(repeated('--kind <kind>', 'records of this kind instead of calls').default([], 'calls'))
    .addOption(
      new Option('--limit <n>', 'how many')
        .default(CLI_LIMITS.logUsualLines)
        .argParser(numberUpTo(CLI_LIMITS.lookLines)),
    )
    .option('--all', 'look through the whole store, however long it takes')
    .option('-f, --follow', 'then show new ones as they come')
    .option('--explain', 'why the call was routed, refused or rejected, and what was said about its error');
