// The questions of init and uninstall; asks before servers are started for a trial, and prints the results while the trial runs.
import type { Command } from 'commander';
import { count } from '../../core/figures.js';
import { confirmed, type QuestionDetails } from '../confirm.js';
import { plain, tell } from '../screen/print.js';
import type { OnTrial } from '../switchboard/try.js';
import { wrong } from '../target.js';
import { startLine, type TrialCandidate, type Trials } from './trial.js';

/** The options that init and uninstall share. */
export interface AskingOptions {
  readonly project?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export const withAsking = (command: Command): Command =>
  command
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .option('--dry-run', 'show what would be changed; change nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON on stdout');

const hasTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

export const assertAsked = ({ yes }: AskingOptions): void => {
  if (!yes && !hasTerminal())
    throw wrong('There is no terminal to ask you on.', 'Add --yes if you agree, or --dry-run.');
};

/** True if the person agrees. Asks on a terminal; without one, --yes is required. `standing`: what is printed after a no. */
export const agreeTo = async (
  question: string,
  options: AskingOptions,
  standing = 'Nothing was changed.',
  details?: QuestionDetails,
): Promise<boolean> => {
  assertAsked(options);
  if (options.yes || (await confirmed(question, standing, details))) return true;
  tell(standing);
  return false;
};

/** Prints a line when a server answers or fails; a server that does not answer fails after half a minute. */
const trialLines = (total: number): OnTrial => {
  if (process.stderr.isTTY !== true) return () => {};
  tell(`Started ${count(total, 'server')}; waiting for ${count(total, 'answer')} …`);
  let ended = 0;
  return (server, trial) => {
    ended += 1;
    const answer = 'fault' in trial ? trial.fault : `answers, ${count(trial.tools.length, 'tool')}`;
    tell(`  ${ended} of ${total}  ${plain(`${server}: ${answer}`)}`);
  };
};

/** Runs `work`; on Ctrl-C prints that nothing was changed, then lets the signal end the process. */
const explainingInterrupt = async (work: () => Promise<void>): Promise<void> => {
  const interrupted = (): void => {
    tell('\ncolibri: Nothing was changed.');
    process.kill(process.pid, 'SIGINT'); // no listener is left, so this ends the process
  };
  process.once('SIGINT', interrupted);
  await work().finally(() => process.off('SIGINT', interrupted));
};

/** Tries servers, but starts them only after a person has agreed. A dry run without a terminal leaves them untried. */
export const tryThem = async (
  options: AskingOptions,
  trials: Trials,
  candidates: readonly TrialCandidate[],
): Promise<void> => {
  const waiting = trials.waiting(candidates);
  if (waiting.length === 0 || (options.dryRun && !options.yes && !hasTerminal())) return;
  assertAsked(options);
  tell(`To see whether they answer behind the switchboard, ${count(waiting.length, 'server')} would be started once:`);
  for (const candidate of waiting) tell(`  ${plain(startLine(candidate, waiting))}`);
  if (options.yes || (await confirmed('May the servers listed above be started?')))
    await explainingInterrupt(() => trials.run(candidates, trialLines(waiting.length)));
  else if (!options.dryRun) throw wrong('Declined.', 'Nothing was changed; without --import no server is started.');
};
