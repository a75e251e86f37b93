// `init --undo`: undoes the last run of init in this project.
import { existsSync } from 'node:fs';
import { CLIENTS } from '../../clients/table.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { readSecrets, secretsFile } from '../../switchboard/config/secrets.js';
import { confirmed } from '../confirm.js';
import { type Out, outBeside, plain, say, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { type InitRun, Journal } from './journal.js';
import { type OwnReversal, ownReversals, watchOwnFiles } from './own-files.js';
import { returningLines, returningSecrets } from './returning.js';
import { settingFor } from './setting.js';
import { showReversal } from './show.js';
import { type Reversal, reversalsOf, undoRun } from './undo.js';

export interface UndoOptions {
  readonly project?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export const reversalJson = (reversal: Reversal): object => ({
  file: reversal.written.file,
  how: reversal.how,
  ...(reversal.why !== '' && { why: reversal.why }),
});

const nothing = (others: readonly InitRun[], json: true | undefined): number => {
  const places = [...new Set(others.map(({ project }) => project ?? 'no project'))];
  if (json) sayJson({ run: null, files: [], others: places });
  else if (places.length === 0) say('There is nothing to undo.');
  else say(`There is nothing to undo here. There are runs for: ${plain(places.join(', '))}.`);
  return 0;
};

/** True if the person agrees. Asks on a terminal; without one, --yes is required. `standing`: what is printed after a no. */
export const agreeTo = async (
  question: string,
  { yes }: UndoOptions,
  standing = 'Nothing was changed.',
): Promise<boolean> => {
  if (yes) return true;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw wrong('There is no terminal to ask you on.', 'Add --yes if you agree.');
  }
  if (await confirmed(question, standing)) return true;
  tell(standing);
  return false;
};

/** Names the clients to restart: a client keeps the servers that it has started until it is restarted. */
export const showRestart = (reversals: readonly Reversal[], { say: put }: Out): void => {
  const changed = reversals.filter(({ how }) => how === 'restored' || how === 'edited');
  const clients = changed.flatMap(({ written: { inverse } }) =>
    inverse.kind === 'servers' && inverse.client !== undefined ? [CLIENTS[inverse.client].title] : [],
  );
  if (clients.length > 0) put(`Restart ${[...new Set(clients)].join(', ')}: until then it uses the old entries.`);
};

/** Prints which of Colibri's own files no longer exist. */
export const showRemoved = (files: readonly string[], { say: put }: Out): void => {
  const gone = files.filter((file) => !existsSync(file));
  if (gone.length > 0) put(`Removed: ${plain(gone.join(', '))}`);
};

export const undoLast = async (options: UndoOptions): Promise<number> => {
  const { config, around } = settingFor(options.project);
  const stateDir = config.directories.state;
  const journal = new Journal(stateDir);
  const runs = journal.runs();
  const run = runs.findLast(({ project }) => project === (around.projectDir ?? null));
  if (run === undefined) return nothing(runs, options.json);
  const out = outBeside(options.json);
  out.say(`The run of ${plain(run.at)}:`);
  const planned = reversalsOf([run], journal);
  const known = readSecrets(stateDir);
  for (const reversal of planned) showReversal(reversal, Object.values(known), out);
  const staying = runs.filter(({ id }) => id !== run.id);
  const returning = returningSecrets([run], staying, planned, known);
  returningLines(returning, known, stateDir).forEach(out.say);
  const answer = (reversals: readonly Reversal[], ownFiles: readonly OwnReversal[]): number => {
    const files = [...reversals.map(reversalJson), ...ownFiles];
    if (options.json) sayJson({ run: run.id, dry_run: options.dryRun === true, files });
    return reversals.some(({ how }) => how === 'stuck') ? EXIT_FAILED : 0;
  };
  if (options.dryRun) {
    out.say('Nothing was changed: this was a dry run.');
    return answer(planned, ownReversals({ going: run, staying }, returning, known, stateDir));
  }
  const own = [secretsFile(stateDir)].filter((file) => existsSync(file));
  if (!(await agreeTo('Undo it?', options))) return EXIT_FAILED;
  const ownSince = watchOwnFiles(stateDir);
  const done = await changingState(stateDir, async (held) => {
    const isStillThere = journal.runs().some(({ id }) => id === run.id);
    return isStillThere ? undoRun(run, { journal, held }) : [];
  });
  for (const { written, how, why } of done) if (how === 'stuck') tell(`colibri: ${plain(`${written.file}: ${why}`)}`);
  if (!options.json) say('Undone.');
  showRemoved(own, out);
  showRestart(done, out);
  return answer(done, ownSince());
};
