// `colibri approvals`: the calls that wait for a person's yes.
import type { Command } from 'commander';
import { isoClock } from '../../core/clock.js';
import { newestApprovals, waitingApprovals } from '../../switchboard/records/approval-repository.js';
import { readingOnce } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { say, sayAnswer, sayJson } from '../screen/print.js';
import { pause, untilStopped } from '../until-stopped.js';
import { approvalJson, approvalLines, stateNow } from './shown.js';

const AFTER = `
A server's tools that are in "tools.ask" of the switchboard file are called only
after a person said yes to exactly this call. See docs/approvals.md.

  colibri approvals              what waits
  colibri approvals --watch      goes on; prints each one when it is asked for
  colibri approvals --all        the newest, also those that were answered
  colibri approve 3f2a90b1c4     says yes, on this terminal
  colibri deny 3f2a90b1c4 --why "not that folder"

Exit codes: 0 shown, 1 failed.`;

interface ListOptions extends PlaceOptions {
  readonly all?: true;
  readonly watch?: true;
}

const WAITING: readonly string[] = ['asked', 'granted'];

const rowsOf = async (at: StoreAt, { all }: ListOptions) => {
  const now = isoClock()();
  const rows = await readingOnce(at, (tx) =>
    all ? newestApprovals(tx, CLI_LIMITS.approvalsShown) : waitingApprovals(tx),
  );
  return { now, rows: all ? rows : rows.filter((row) => WAITING.includes(stateNow(row, now))) };
};

/** Prints each approval when it is asked for, until Ctrl-C. */
const watch = async (at: StoreAt, options: ListOptions): Promise<number> => {
  const { signal, end } = untilStopped();
  const seen = new Set<string>();
  try {
    while (!signal.aborted) {
      const { now, rows } = await rowsOf(at, options);
      for (const row of rows.filter(({ approval_id, state }) => state === 'asked' && !seen.has(approval_id))) {
        seen.add(row.approval_id);
        if (options.json) sayJson(approvalJson(row, now));
        else for (const line of approvalLines(row, now)) say(line);
      }
      await pause(CLI_LIMITS.approvalsWatchMs, signal);
    }
  } finally {
    end();
  }
  return 0;
};

const list = async (options: ListOptions): Promise<number> => {
  const at = findStore(options);
  if (options.watch) return watch(at, options);
  const { now, rows } = await rowsOf(at, options);
  const approvals = rows.map((row) => approvalJson(row, now));
  sayAnswer(options.json, { approvals }, () =>
    rows.length === 0 ? ['Nothing waits for an answer.'] : rows.flatMap((row) => approvalLines(row, now)),
  );
  return 0;
};

export const approvalsCommand = (): Command =>
  storeCommand('approvals', 'the calls that wait for your yes', AFTER, list)
    .option('--all', 'also those that were answered')
    .option('--watch', 'print each one when it is asked for, until Ctrl-C');
