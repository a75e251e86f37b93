// Asking before anything of a client's file is started, and saying how it goes while it is tried.
import { count } from '../../core/figures.js';
import { confirmed } from '../confirm.js';
import { plain, tell } from '../screen/print.js';
import type { OnTrial } from '../switchboard/try.js';
import { wrong } from '../target.js';
import type { InitOptions } from './init.js';
import { startLine, type TrialCandidate, type Trials } from './trial.js';

const isSomebodyThere = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

export const assertAsked = ({ yes }: InitOptions): void => {
  if (!yes && !isSomebodyThere()) throw wrong('Nobody is there to be asked.', 'Add --yes if you agree, or --dry-run.');
};

/** A line for each server as it answers: one that does not is waited for up to half a minute. */
const trialLines = (total: number): OnTrial => {
  if (process.stderr.isTTY !== true) return () => {};
  tell(`Started; waiting for ${count(total, 'answer')} …`);
  let ended = 0;
  return (server, trial) => {
    ended += 1;
    const answer = 'fault' in trial ? trial.fault : `answers, ${count(trial.tools.length, 'tool')}`;
    tell(`  ${ended} of ${total}  ${plain(`${server}: ${answer}`)}`);
  };
};

/** Ctrl-C ends us as it always does, once we have said how things stand. */
const tellingOfInterrupt = async (work: () => Promise<void>): Promise<void> => {
  const interrupted = (): void => {
    tell('\ncolibri: Nothing was changed.');
    process.kill(process.pid, 'SIGINT'); // nobody listens any more
  };
  process.once('SIGINT', interrupted);
  try {
    await work();
  } finally {
    process.off('SIGINT', interrupted);
  }
};

/** Nothing of a client's file is started before somebody has agreed; in a dry run it may stay untried. */
export const tryThem = async (
  options: InitOptions,
  trials: Trials,
  candidates: readonly TrialCandidate[],
): Promise<void> => {
  const waiting = trials.waiting(candidates);
  if (waiting.length === 0 || (options.dryRun && !options.yes && !isSomebodyThere())) return;
  assertAsked(options);
  tell(`To see whether they answer behind the switchboard, ${count(waiting.length, 'server')} would be started once:`);
  for (const candidate of waiting) tell(`  ${plain(startLine(candidate, waiting))}`);
  if (options.yes || (await confirmed('May they be started?')))
    await tellingOfInterrupt(() => trials.run(candidates, trialLines(waiting.length)));
  else if (!options.dryRun) throw wrong('Declined.', 'Nothing was changed; without --import no server is started.');
};
