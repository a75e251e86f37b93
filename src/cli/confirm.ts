// Asks a person yes or no on the terminal. Without a terminal the command fails unless `--yes` was given.
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
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

const answerFrom = async (asker: Interface, question: string): Promise<boolean | undefined> => {
  for (const prompt of [`${forTerminal(question)} Type yes or no: `, 'Please type yes or no: ']) {
    const line = await lineFrom(asker, prompt);
    if (line === undefined) return undefined;
    const answer = ANSWERS[line.trim().toLowerCase()];
    if (answer !== undefined) return answer;
  }
  return false;
};

/** True for yes. Asks again after an answer that is neither yes nor no; a second one counts as no. `standing`: the message after Ctrl-C. */
export const confirmed = async (question: string, standing = 'Nothing was changed.'): Promise<boolean> => {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw wrong('This cannot be undone, and there is no terminal to ask you on.', 'Add --yes if you are sure.');
  }
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  const interrupt = once(asker, 'SIGINT').then(() => {
    tell('');
    throw new Interrupted(standing);
  });
  try {
    const answer = await Promise.race([answerFrom(asker, question), interrupt]);
    if (answer === undefined) tell('');
    return answer === true;
  } finally {
    asker.close();
  }
};
