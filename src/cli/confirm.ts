// Asking a person. Where nobody can be asked, the answer is in the arguments or it is no.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { tell } from './print.js';
import { wrong } from './target.js';

export const confirmed = async (question: string): Promise<boolean> => {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw wrong('This cannot be undone and nobody is there to be asked.', 'Add --yes if you are sure.');
  }
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-D and Ctrl-C reject the question or leave it without an answer.
    const silence = once(asker, 'close').then(() => '\n');
    const answer = await Promise.race([asker.question(`${question} Type yes: `).catch(() => '\n'), silence]);
    if (answer === '\n') tell('');
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    asker.close();
  }
};
