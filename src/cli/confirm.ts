// Asks a person yes or no on the terminal; without a terminal the command fails unless `--yes` was given. Checks the reason that a
// person gives.
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { CORE_LIMITS } from '../core/limits.js';
import { redactText } from '../redact/redact.js';
import { forTerminal, tell } from './screen/print.js';
import { wrong } from './target.js';

/** Thrown when Ctrl-C is pressed at a question. The message says what was changed until then. */
export class Interrupted extends Error {}

const ANSWERS: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false };

/** The line that the person types; undefined after Ctrl-D, or if the terminal is gone. */
const lineFrom = (asker: Interface, prompt: string): Promise<string | undefined> => {
  const closed = once(asker, 'close').then(() => undefined);
  return Promise.race([asker.question(prompt).catch(() => undefined), closed]);
};

/** What a question can show before it is answered: `d` prints it. */
export interface QuestionDetails {
  readonly hint: string;
  readonly show: () => void;
}

const DETAILS = 'd';

const answerFrom = async (
  asker: Interface,
  question: string,
  details: QuestionDetails | undefined,
): Promise<boolean | undefined> => {
  const hint = details === undefined ? '' : ` (${DETAILS} ${details.hint})`;
  const first = `${forTerminal(question)}${hint} Type yes or no: `;
  let prompt = first;
  for (let odd = 0; odd < 2; ) {
    const line = (await lineFrom(asker, prompt))?.trim().toLowerCase();
    if (line === undefined) return undefined;
    if (ANSWERS[line] !== undefined) return ANSWERS[line];
    const asksMore = details !== undefined && line === DETAILS;
    if (asksMore) details.show();
    else odd += 1;
    prompt = asksMore ? first : 'Please type yes or no: ';
  }
  return false;
};

/** True for yes. Asks again after an answer that is neither yes nor no; a second one counts as no. `standing`: the message after Ctrl-C. */
export const confirmed = async (
  question: string,
  standing = 'Nothing was changed.',
  details?: QuestionDetails,
): Promise<boolean> => {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw wrong('This command cannot be undone, and there is no terminal to ask you on.', 'Add --yes if you are sure.');
  }
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  const interrupt = once(asker, 'SIGINT').then(() => {
    tell('');
    throw new Interrupted(standing);
  });
  try {
    const answer = await Promise.race([answerFrom(asker, question, details), interrupt]);
    if (answer === undefined) tell('');
    return answer === true;
  } finally {
    asker.close();
  }
};

/** The reason that is given with a command. A record keeps it for ever, so secrets are redacted first. */
export const checkedReason = (text: string): string => {
  const reason = text.trim();
  if (reason === '') throw wrong('The reason is empty.', 'Give a reason of a few words: the ledger keeps it.');
  if (reason.length > CORE_LIMITS.reasonChars)
    throw wrong(`The reason is longer than ${CORE_LIMITS.reasonChars} characters.`, 'Shorten it.');
  if (!reason.isWellFormed() || reason.includes('\u0000')) {
    throw wrong('The reason contains characters that a record cannot hold.', 'Write the reason in plain text.');
  }
  return redactText(reason);
};
