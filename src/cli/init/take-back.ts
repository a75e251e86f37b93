// `init --undo`: undoes the last run of init in this project.
import { CLIENTS } from '../../clients/table.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { readSecrets } from '../../switchboard/config/secrets.js';
import { type Out, outBeside, plain, say, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { type AskingOptions, agreeTo } from './ask.js';
import { clientIdOf, type InitRun, Journal } from './journal.js';
import { type OwnReversal, ownReversals, returningLines, returningSecrets, watchOwnFiles } from './own-files.js';
import { settingFor } from './setting.js';
import { showReversal } from './show.js';
import { type Reversal, reversalsOf, undoRun } from './undo.js';

export const reversalJson = (reversal: Reversal): object => ({
  file: reversal.written.file,
  how: reversal.how,
  ...(reversal.why !== '' && { why: reversal.why }),
});

const nothing = (others: readonly InitRun[], json: true | undefined): number => {
  const places = [...new Set(others.map(({ project }) => project ?? 'no project (colibri init --undo --user)'))];
  if (json) sayJson({ run: null, files: [], others: places });
  else if (places.length === 0) say('There is nothing to undo.');
  else say(`There is nothing to undo here. There are runs for: ${plain(places.join(', '))}.`);
  return 0;
};

/** Names the clients to restart: a client keeps the servers that it has started until it is restarted. */
export const showRestart = (reversals: readonly Reversal[], { say: put }: Out): void => {
  const changed = reversals.filter(({ how }) => how === 'restored' || how === 'edited');
  const ids = changed.map(({ written }) => clientIdOf(written.inverse)).filter((id) => id !== undefined);
  const clients = [...new Set(ids)].map((id) => CLIENTS[id].title);
  if (clients.length > 0) put(`Restart ${clients.join(', ')}: until then it uses the old entries.`);
};

export const showRemoved = (own: readonly OwnReversal[], { say: put }: Out): void => {
  const gone = own.filter(({ how }) => how === 'removed').map(({ file }) => file);
  if (gone.length > 0) put(`Removed: ${plain(gone.join(', '))}`);
};

/** Prints the files whose change could not be undone. True if there are any. */
export const tellStuck = (reversals: readonly Reversal[]): boolean => {
  const stuck = reversals.filter(({ how }) => how === 'stuck');
  for (const { written, why } of stuck) tell(`colibri: ${plain(`${written.file}: ${why}`)}`);
  return stuck.length > 0;
};

export const undoLast = async (options: AskingOptions & { readonly user?: true }): Promise<number> => {
  const { config, around } = settingFor(options.project, options);
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
  if (!(await agreeTo('Undo it?', options))) return EXIT_FAILED;
  const ownSince = watchOwnFiles(stateDir);
  const done = await changingState(stateDir, async (held) => {
    const isStillThere = journal.runs().some(({ id }) => id === run.id);
    return isStillThere ? undoRun(run, held) : [];
  });
  tellStuck(done);
  if (!options.json) say('Undone.');
  const own = ownSince();
  showRemoved(own, out);
  showRestart(done, out);
  return answer(done, own);
};
