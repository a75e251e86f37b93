// colibri uninstall: everything that init ever put anywhere goes, the store stays.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { CLIENTS } from '../clients/table.js';
import { approvalsFile } from '../switchboard/approvals.js';
import { userFile } from '../switchboard/place.js';
import { readSecrets, secretsFile } from '../switchboard/secrets.js';
import { blockIn, withoutBlock } from './agents-block.js';
import { clientChanges, edited, modeFor, OUR_NAME, type PlacedEdit, serversIn } from './client-files.js';
import { carryOut, type FileChange } from './init-changes.js';
import { Journal, type Run } from './init-journal.js';
import { alone } from './init-lock.js';
import { type Setting, settingFor } from './init-setting.js';
import { showChange, showReversal } from './init-show.js';
import { agreeTo, reversalJson, type UndoOptions } from './init-take-back.js';
import { type Reversal, takeBack } from './init-undo.js';
import { count, oneLine, plain, say, sayJson, tell } from './print.js';
import { EXIT_FAILED, running } from './run.js';
import { readText } from './text-file.js';

const AFTER = `
Takes out the entries of all clients, puts back the servers that were moved, takes our part out of AGENTS.md and CLAUDE.md, and
forgets approvals. Secrets are removed after a question of their own. Stores, keys, heads and logs stay, and are listed.

  colibri uninstall --dry-run     what would go and what would stay
  colibri uninstall
  colibri uninstall --yes         without asking, secrets too

Exit codes: 0 done, or nothing to do; 1 failed or declined, or something could not be taken out.`;

/** Entries of ours that no journal knows: written by hand, or the journal is gone. Only those that start this very program. */
const strayEntries = ({ around, launch }: Setting): readonly PlacedEdit[] =>
  Object.values(CLIENTS).flatMap((client) =>
    client
      .places(around)
      .filter(({ scope }) => scope !== 'managed')
      .flatMap((place) => {
        const was = quietly(() => serversIn(place)[OUR_NAME]);
        const { args } = (was ?? {}) as { args?: unknown };
        const isOurs = Array.isArray(args) && args.includes(launch.args[0]);
        return isOurs ? [{ client, place, name: OUR_NAME, was }] : [];
      }),
  );

/** A file that cannot be read holds nothing that we could take out. */
const quietly = <T>(look: () => T): T | undefined => {
  try {
    return look();
  } catch (thrown) {
    tell(`colibri: ${oneLine(thrown)}`);
    return undefined;
  }
};

const strayBlocks = ({ around }: Setting): readonly FileChange[] => {
  const { projectDir } = around;
  const files = projectDir === undefined ? [] : ['AGENTS.md', 'CLAUDE.md'].map((name) => join(projectDir, name));
  return files.flatMap((file) => {
    const before = quietly(() => readText(file));
    const was = before === undefined ? undefined : quietly(() => edited(file, () => blockIn(before)));
    if (before === undefined || was === undefined) return [];
    const after = withoutBlock(before);
    const mode = modeFor(file, around);
    return [{ file, what: 'what agents read', before, after, mode, inverse: { kind: 'block', was } }];
  });
};

const strays = (setting: Setting): readonly FileChange[] => [
  ...(quietly(() => clientChanges(strayEntries(setting), setting.around)) ?? []),
  ...strayBlocks(setting),
];

/** Files that init made, and that go with it. */
const madeBy = (runs: readonly Run[]): ReadonlySet<string> =>
  new Set(runs.flatMap(({ files }) => files.filter(({ before }) => before === null).map(({ file }) => file)));

/** What is the user's own work, or evidence, and where it is. */
const leftovers = (setting: Setting, runs: readonly Run[], going: ReadonlySet<string>): readonly string[] => {
  const { config, around, launch } = setting;
  const { data, state } = config.directories;
  const stays = (file: string): boolean => existsSync(file) && !going.has(file);
  const projects = new Set([around.projectDir, ...runs.map(({ project }) => project)].filter((dir) => dir != null));
  const folders = [...projects]
    .map((dir) => join(dir, '.colibri'))
    .filter((dir) => existsSync(dir) && readdirSync(dir).some((name) => stays(join(dir, name))));
  const files = [
    ...(config.dbPath === undefined ? [] : [config.dbPath]),
    join(data, 'colibri.db'),
    userFile(config.directories.config),
    ...['keys', 'heads', 'log'].map((name) => join(state, name)),
  ].filter(stays);
  const program = dirname(dirname(dirname(launch.args[0] ?? '')));
  return [...files, ...folders, program];
};

const removeSecrets = async (stateDir: string, options: UndoOptions): Promise<boolean> => {
  if (!existsSync(secretsFile(stateDir))) return false;
  const names = Object.keys(readSecrets(stateDir));
  tell(`${plain(secretsFile(stateDir))} holds ${count(names.length, 'secret')}: ${plain(names.join(', '))}`);
  if (!(await agreeTo('Remove it?', options))) return false;
  rmSync(secretsFile(stateDir), { force: true });
  return true;
};

interface Taken {
  readonly reversals: readonly Reversal[];
  readonly found: readonly FileChange[];
}

/** The last run first, so that each finds its files as it left them. */
const takeOut = (setting: Setting, journal: Journal): Promise<Taken> =>
  alone(journal, async () => {
    const desk = { journal, stateDir: setting.config.directories.state };
    const reversals: Reversal[] = [];
    for (const run of journal.runs().toReversed()) reversals.push(...(await takeBack(run, desk)));
    const found = strays(setting);
    if (found.length > 0) {
      journal.drop(await carryOut({ project: undefined, files: found, approvals: [], secrets: {} }, desk));
    }
    return { reversals, found };
  });

interface Sight {
  readonly runs: readonly Run[];
  readonly found: readonly FileChange[];
  /** Secrets, which must not reach the screen. */
  readonly known: readonly string[];
}

const showPlan = ({ runs, found, known }: Sight, out: Out): void => {
  const files = runs.flatMap((run) => run.files);
  const names = new Set(files.map(({ file }) => file));
  for (const name of names) {
    const what = new Set(files.filter(({ file }) => file === name).map((one) => one.what));
    out(`${plain(name)} (${[...what].join('; ')})`);
  }
  for (const change of found.filter(({ file }) => !names.has(file))) showChange(change, known, out);
};

type Out = (line: string) => void;

const showLeft = (left: readonly string[], out: Out): void => {
  out('These stay, and are yours:');
  for (const path of left) out(`  ${plain(path)}`);
};

/** Everything but the files: approvals, secrets, the journal. */
const forget = async (stateDir: string, journal: Journal | undefined, options: UndoOptions): Promise<boolean> => {
  rmSync(approvalsFile(stateDir), { force: true });
  const secretsGone = await removeSecrets(stateDir, options);
  journal?.remove();
  return secretsGone;
};

const uninstall = async (options: UndoOptions): Promise<number> => {
  const setting = settingFor(options.project);
  const stateDir = setting.config.directories.state;
  const journal = new Journal(stateDir);
  const known = Object.values(readSecrets(stateDir));
  const sight: Sight = { runs: journal.runs(), found: strays(setting), known };
  const out = options.json ? tell : say;
  showPlan(sight, out);
  if (options.dryRun) {
    const left = leftovers(setting, sight.runs, madeBy(sight.runs));
    showLeft(left, out);
    if (options.json) sayJson({ dry_run: true, runs: sight.runs.length, left });
    return 0;
  }
  const isEmpty = sight.runs.length === 0 && sight.found.length === 0;
  if (!isEmpty && !(await agreeTo('Take Colibri out of these files?', options))) return EXIT_FAILED;
  const { reversals, found } = await takeOut(setting, journal);
  for (const reversal of reversals) showReversal(reversal, known, out);
  const isStuck = reversals.some(({ how }) => how === 'stuck');
  const secretsGone = await forget(stateDir, isStuck ? undefined : journal, options);
  const left = leftovers(setting, sight.runs, new Set());
  showLeft(left, out);
  if (options.json) {
    const files = [...reversals.map(reversalJson), ...found.map(({ file }) => ({ file, how: 'edited' }))];
    sayJson({ dry_run: false, files, secrets_removed: secretsGone, left });
  }
  return isStuck ? EXIT_FAILED : 0;
};

export const uninstallCommand = (): Command =>
  new Command('uninstall')
    .description('take everything that init put anywhere out again; the store stays')
    .option('--project <dir>', 'the project folder; otherwise found as `serve` finds it')
    .option('--dry-run', 'show what would go; change nothing')
    .option('--yes', 'do not ask')
    .addOption(new Option('--json', 'print JSON on stdout'))
    .addHelpText('after', AFTER)
    .action(running(uninstall));
