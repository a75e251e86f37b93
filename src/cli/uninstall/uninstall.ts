// `colibri uninstall`: undoes every run of init in all projects. Stores, keys, signed heads and logs stay.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { approvalsFile } from '../../switchboard/config/approvals.js';
import { userFile } from '../../switchboard/config/place.js';
import { readSecrets, type Secrets, secretsFile } from '../../switchboard/config/secrets.js';
import { triedDir } from '../../switchboard/config/tried-tools.js';
import { type AskingOptions, agreeTo, withAsking } from '../init/ask.js';
import { carryOut, type FileChange } from '../init/changes.js';
import { type InitRun, Journal, journalDir } from '../init/journal.js';
import { type OwnReversal, returningLines, returningSecrets, watchOwnFiles } from '../init/own-files.js';
import { type Setting, settingFor } from '../init/setting.js';
import { showChange, showReversal } from '../init/show.js';
import { reversalJson, showRemoved, showRestart, tellStuck } from '../init/take-back.js';
import { type Reversal, reversalsOf, undoRun } from '../init/undo.js';
import { isFolder } from '../paths.js';
import { running } from '../run.js';
import { type Out, outBeside, plain, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { strays } from './strays.js';

const AFTER = `
Removes the entries from all clients, puts back the servers that were moved,
removes our section from AGENTS.md and CLAUDE.md, and forgets approvals. Shows
what happens to each file and asks first. Secrets go back with the servers they
belong to; it asks separately before it removes others. Stores, keys, heads and
logs stay, and are listed.

  colibri uninstall --dry-run    shows what would be removed and what stays
  colibri uninstall
  colibri uninstall --yes        without asking; removes secrets too

Exit codes: 0 done, or nothing to do; 1 failed or declined, or something could
not be removed; 130 Ctrl-C at a question.`;

const removeSecrets = async (stateDir: string, options: AskingOptions): Promise<void> => {
  if (!existsSync(secretsFile(stateDir))) return;
  tell(secretsLine(stateDir, Object.keys(readSecrets(stateDir))));
  if (!(await agreeTo('Remove it?', options, 'Colibri was removed; the secrets stay.'))) return;
  await changingState(stateDir, () => rmSync(secretsFile(stateDir), { force: true }));
};

const secretsLine = (stateDir: string, names: readonly string[]): string =>
  `${plain(secretsFile(stateDir))} contains ${count(names.length, 'secret')}: ${plain(names.join(', '))}`;

/** Lines that say which secrets return to the clients' files with their servers; the person is asked about the other secrets later. */
const secretsPlan = (
  stateDir: string,
  runs: readonly InitRun[],
  planned: readonly Reversal[],
  known: Secrets,
): readonly string[] => {
  if (!existsSync(secretsFile(stateDir))) return [];
  const returning = returningSecrets(runs, [], planned, known);
  const kept = Object.keys(known).filter((name) => !returning.some((one) => one.name === name));
  return [
    ...returningLines(returning, known, stateDir),
    ...(kept.length > 0 || returning.length === 0
      ? [`${secretsLine(stateDir, kept)}: you are asked about it separately`]
      : []),
  ];
};

/** Undoes the last run first, so that each run finds its files as it left them. The journal stays if a file could not be restored. */
const removeAll = (setting: Setting, journal: Journal) =>
  changingState(setting.config.directories.state, async (held) => {
    const reversals: Reversal[] = [];
    for (const run of journal.runs().toReversed()) reversals.push(...(await undoRun(run, held)));
    const found = strays(setting);
    if (found.length > 0) {
      const changes = { project: undefined, files: found, approvals: [], secrets: {}, tried: [] };
      journal.drop(held, await carryOut(changes, held));
    }
    rmSync(approvalsFile(held.dir), { force: true });
    rmSync(triedDir(held.dir), { recursive: true, force: true });
    if (!reversals.some(({ how }) => how === 'stuck')) journal.remove(held);
    return { reversals, found };
  });

const WORST: readonly Reversal['how'][] = ['stuck', 'edited', 'restored', 'left', 'nothing'];

/** One reversal (the undo of a file's change) for each file. It sums up the reversals of all runs that changed the file. */
const byFile = (reversals: readonly Reversal[]): readonly Reversal[] =>
  [...new Set(reversals.map(({ written }) => written.file))].flatMap((file) => {
    const own = reversals.filter(({ written }) => written.file === file);
    const telling = WORST.map((how) => own.find((one) => one.how === how)).find((one) => one !== undefined);
    const what = [...new Set(own.map(({ written }) => written.what))].join('; ');
    const [current, after] = [own[0]?.current, own.at(-1)?.after];
    return telling === undefined ? [] : [{ ...telling, written: { ...telling.written, what }, current, after }];
  });

interface Plan extends Known {
  readonly planned: readonly Reversal[];
  readonly found: readonly FileChange[];
  /** Lines about the removal of the approvals and secrets files. */
  readonly others: readonly string[];
  /** The approvals and secrets files that exist. */
  readonly own: readonly OwnReversal[];
  /** Values of secrets, which must not be shown on the screen. */
  readonly known: readonly string[];
}

const planOf = (setting: Setting, journal: Journal): Plan => {
  const stateDir = setting.config.directories.state;
  const runs = journal.runs();
  const planned = byFile(reversalsOf(runs, journal));
  const files = new Set(planned.map(({ written }) => written.file));
  const approvals = approvalsFile(stateDir);
  const known = readSecrets(stateDir);
  return {
    runs,
    projects: journal.projects(),
    planned,
    found: strays(setting).filter(({ file }) => !files.has(file)),
    others: [
      ...(existsSync(approvals) ? [`${plain(approvals)} (which servers of projects may be started): removed`] : []),
      ...secretsPlan(stateDir, runs, planned, known),
    ],
    own: [secretsFile(stateDir), approvals].flatMap((file) => (existsSync(file) ? [{ file, how: 'removed' }] : [])),
    known: Object.values(known),
  };
};

const isEmpty = ({ runs, found, others }: Plan): boolean =>
  runs.length === 0 && found.length === 0 && others.length === 0;

const showPlan = (plan: Plan, { dryRun }: AskingOptions, out: Out): void => {
  const { planned, found, others, known } = plan;
  if (isEmpty(plan)) {
    out.say('There is nothing to remove.');
    return;
  }
  const dry = 'This is a dry run: nothing is changed. What would happen to the files that init wrote:';
  out.say(dryRun ? dry : 'What happens to the files that init wrote:');
  for (const reversal of planned) showReversal(reversal, known, out);
  for (const change of found) showChange(change, known, out);
  others.forEach(out.say);
};

const filesJson = (
  reversals: readonly Reversal[],
  found: readonly FileChange[],
  own: readonly OwnReversal[],
): readonly object[] => [...reversals.map(reversalJson), ...found.map(({ file }) => ({ file, how: 'edited' })), ...own];

const uninstall = async (options: AskingOptions): Promise<number> => {
  const setting = settingFor(options.project);
  const stateDir = setting.config.directories.state;
  const journal = new Journal(stateDir);
  const plan = planOf(setting, journal);
  const out = outBeside(options.json);
  showPlan(plan, options, out);
  const end = (json: object): void => {
    const left = leftovers(setting, plan, options.dryRun === true);
    showLeft(left, out.say);
    if (options.json) sayJson({ dry_run: options.dryRun === true, ...json, left });
  };
  if (options.dryRun) end({ runs: plan.runs.length, files: filesJson(plan.planned, plan.found, plan.own) });
  else if (isEmpty(plan)) end({ files: [], secrets_removed: false });
  if (options.dryRun || isEmpty(plan)) return 0;
  if (!(await agreeTo('Remove Colibri?', options))) return EXIT_FAILED;
  const ownSince = watchOwnFiles(stateDir);
  const { reversals, found } = await removeAll(setting, journal);
  const isStuck = tellStuck(reversals);
  await removeSecrets(stateDir, options);
  const own = ownSince();
  out.say(isStuck ? 'Colibri was removed, except for the files named above.' : 'Colibri was removed.');
  showRemoved(own, out);
  showRestart(reversals, out);
  const secretsGone = own.some(({ file, how }) => file === secretsFile(stateDir) && how === 'removed');
  end({ files: filesJson(reversals, found, own), secrets_removed: secretsGone });
  return isStuck ? EXIT_FAILED : 0;
};

export const uninstallCommand = (): Command =>
  withAsking(new Command('uninstall'))
    .description('remove everything that init wrote; the store stays')
    .addHelpText('after', AFTER)
    .action(running(uninstall));

// Lists what uninstall leaves on the machine: stores, keys, signed heads, the user's own files, the program.

const namesIn = (dir: string): readonly string[] => (existsSync(dir) ? readdirSync(dir).toSorted() : []);

/** True for an empty folder, and for a folder that contains only empty folders. */
const isEmptyFolder = (path: string): boolean =>
  isFolder(path) && namesIn(path).every((name) => isEmptyFolder(join(path, name)));

/** The files that the runs of init created; undoing the runs removes these files. */
const createdBy = (runs: readonly InitRun[]): readonly string[] =>
  runs.flatMap(({ files }) => files.filter(({ before }) => before === null).map(({ file }) => file));

/** The runs and projects that the journal of init lists. */
interface Known {
  readonly runs: readonly InitRun[];
  /** Folders of the projects that init was run in, also if every run was undone. */
  readonly projects: readonly string[];
}

/** What uninstall leaves. `isBefore`: true if nothing was removed yet; then files that will be removed are left out. */
const leftovers = (setting: Setting, { runs, projects }: Known, isBefore: boolean): readonly string[] => {
  const { config, around, launch } = setting;
  const { data, state } = config.directories;
  const going = new Set(
    isBefore ? [...createdBy(runs), journalDir(state), triedDir(state), approvalsFile(state), secretsFile(state)] : [],
  );
  const stays = (file: string): boolean => existsSync(file) && !going.has(file) && !isEmptyFolder(file);
  const folders = [...new Set([around.projectDir, ...projects].filter((dir) => dir !== undefined))]
    .map((dir) => join(dir, '.colibri'))
    .filter((dir) => namesIn(dir).some((name) => stays(join(dir, name))));
  const files = [
    ...(config.dbPath === undefined ? [] : [config.dbPath]),
    join(data, 'colibri.db'),
    userFile(config.directories.config),
    ...namesIn(state).map((name) => join(state, name)),
  ].filter(stays);
  const program = dirname(dirname(dirname(launch.args[0] ?? '')));
  return [...files, ...folders, program];
};

const showLeft = (left: readonly string[], out: (line: string) => void): void => {
  out('These stay, and are yours:');
  for (const path of left) out(`  ${plain(path)}`);
  out('To remove the command `colibri` itself: npm uninstall --global colibri');
};
