// Starting somebody's servers is their decision: what would be started is shown, and then a person says yes.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { plain } from '../build/cli/screen/print.js';
import { Wrong } from './options.mjs';

/** As it is written: variables are not filled in, so no secret of theirs is shown. @param {import('./board.mjs').ServerConfig} server */
const reachedBy = ({ written }) =>
  written.kind === 'http' ? written.url : [written.command, ...written.args].join(' ');

/** @param {readonly import('./board.mjs').ServerConfig[]} servers @param {boolean} isQuiet */
export const announcement = (servers, isQuiet) =>
  [
    'This starts the following servers, each as it is configured, in a scratch Colibri with a store of its own:',
    ...servers.map((server) => `  ${plain(server.name)}: ${plain(reachedBy(server))}`),
    'Each of their processes is then killed and stopped, each connection over HTTP refused and cut, several times.',
    isQuiet
      ? 'No tool is called.'
      : 'Called are only tools that are said to be read-only and need no arguments, and those named by --tool.',
  ].join('\n');

/** @param {string} text @param {boolean} isGiven `--yes` @param {AbortSignal} over */
export const askConsent = async (text, isGiven, over) => {
  process.stderr.write(`${text}\n`);
  if (isGiven) return;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw new Wrong('nobody is there to be asked; add --yes to agree');
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const silence = once(asker, 'close').then(() => '');
    const asked = asker.question('Type yes to go on: ', { signal: over }).catch(() => '');
    const answer = await Promise.race([asked, silence]);
    over.throwIfAborted();
    if (answer.trim().toLowerCase() !== 'yes') throw new Wrong('nothing was started');
  } finally {
    asker.close();
  }
};
