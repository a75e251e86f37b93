// `colibri accept-loss`: records that a person accepts a store that contradicts its signed heads.
import type { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { checkedReason, confirmed } from '../confirm.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { say, sayJson, tell } from '../screen/print.js';
import { wrong } from '../target.js';
import { acceptAll, acceptedText, explainUndecided, findUndecided, isDecided } from './undecided.js';

const AFTER = `
A log only grows, and it is in one store. If the store is older than what was
signed, if a signed log is not in it, or if it is a copy beside the original,
nothing is recorded until a person decides: put the right store back
(\`colibri restore <backup>\`), or accept this one. After that, a log that lacks
signed records is followed by a new log, whose first record says what is
missing; a copy gets an id and a log of its own; a missing log is only recorded
as missing. \`colibri verify\` then says 10 for what is missing, not 20. A store
that was deleted and begun anew can be used at once, but \`colibri verify\` says
10 until a person accepts it.

  colibri restore                shows what is missing; changes nothing
  colibri accept-loss "disk replaced, backup of Monday"
                                 asks first; --yes does not ask

Exit codes: 0 accepted; 1 not accepted, or there is nothing to accept;
130 interrupted at the question, and nothing was changed.`;

/** True if the person agrees: accepting is for good. If there is nothing to accept, does not ask. */
const agreed = async (at: StoreAt): Promise<boolean> => {
  const undecided = await findUndecided(at);
  if (isDecided(undecided)) return true;
  explainUndecided(undecided, at, tell);
  const yes = await confirmed('Accept for good what is shown above?');
  if (!yes) tell('Nothing was accepted.');
  return yes;
};

const nothing = (): Error =>
  wrong('The store has everything that was signed: there is nothing to accept.', 'colibri verify checks it.');

interface AcceptOptions extends PlaceOptions {
  readonly yes?: true;
}

const acceptLoss = async (text: string, options: AcceptOptions): Promise<number> => {
  const reason = checkedReason(text);
  const at = findStore(options);
  if (options.yes !== true && !(await agreed(at))) return EXIT_FAILED;
  const steps = await acceptAll(at, reason);
  const last = steps.at(-1);
  if (last === undefined) throw nothing();
  const lost = steps.reduce((sum, step) => sum + step.lost, 0);
  if (options.json) sayJson({ accepted: true, log: last.log, lost, steps });
  else for (const step of steps) say(acceptedText(step));
  return 0;
};

export const acceptLossCommand = (): Command =>
  storeCommand('accept-loss', 'accept for good that a store lacks what was signed, or is a copy', AFTER, acceptLoss)
    .argument('<reason>', 'why; it is recorded')
    .option('--yes', 'do not ask');
