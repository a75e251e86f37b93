// Asking a person. Where nobody can be asked, the answer is in the arguments or it is no.
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { forTerminal, tell } from './screen/print.js';
import { wrong } from './target.js';

/** Ctrl-C at a question: the command ends there, and the message says how things stand. */
export class Interrupted extends Error {}

const ANSWERS: Readonly<Record<string, boolean>> = { y: true, yes: true, n: false, no: false };

/** Undefined: Ctrl-D, or the terminal is gone. */
const lineFrom = (asker: Interface, prompt: string): Promise<string | undefined> => {
  const silence = once(asker, 'close').then(() => undefined);
  return Promise.race([asker.question(prompt).catch(() => undefined), silence]);
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

/** What is neither yes nor no is asked once more, then it is no. `standing`: what is true if it ends with Ctrl-C here. */
export const confirmed = async (question: string, standing = 'Nothing was changed.'): Promise<boolean> => {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw wrong('This cannot be undone and nobody is there to be asked.', 'Add --yes if you are sure.');
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
