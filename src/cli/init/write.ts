// The main path of `colibri init`: plan, show, ask, write. The plan is made again under the lock of the state directory; if it differs
// from the plan that was shown, the person is asked again.
import { isDeepStrictEqual } from 'node:util';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { readSecrets, variablesFrom } from '../../switchboard/config/secrets.js';
import { type Out, outBeside, plain, say, sayJson, tell, tellExactly } from '../screen/print.js';
import { changingState } from '../state.js';
import { agreeTo, assertAsked, tryThem } from './ask.js';
import { boardsFor } from './boards.js';
import { assertProjectWritable, type Changes, carryOut } from './changes.js';
import { clientChanges } from './client-files.js';
import { folderChange } from './folder.js';
import { type Chosen, planImport } from './import.js';
import type { InitOptions } from './init.js';
import { noteProject } from './join.js';
import type { InitRun } from './journal.js';
import { measureStart } from './measure.js';
import { finishImport, type Moved } from './moved.js';
import { type OwnFile, ownFiles, showOwnFiles } from './own-files.js';
import { agentChanges, chooseClients, entryEdit, notesFor, onePerPlace, sharingNotes } from './plan.js';
import { replacedNotes, withoutReplaced } from './replaced.js';
import { assertLasting, type Setting, settingFor } from './setting.js';
import { showChange, showRows, showRules, showSummary } from './show.js';
import { candidatesFor, Trials } from './trial.js';

interface Plan {
  readonly changes: Changes;
  readonly moved: Moved | undefined;
  readonly own: readonly OwnFile[];
  readonly notes: readonly string[];
  /** Notes on what other people get or lose by the changes; printed next to the question. */
  readonly sharing: readonly string[];
}

interface Work {
  readonly options: InitOptions;
  readonly setting: Setting;
  readonly chosen: readonly Chosen[];
  readonly trials: Trials;
}

const planMove = async (work: Work, mayAsk: boolean): Promise<Moved | undefined> => {
  const { options, setting, chosen, trials } = work;
  if (!options.import) return undefined;
  const { config, env, around } = setting;
  const boards = boardsFor(around, config.directories.config);
  const known = readSecrets(config.directories.state);
  const plan = planImport(chosen, boards, around, known);
  const variables = variablesFrom(env, { ...known, ...plan.secrets });
  const candidates = candidatesFor(plan.moves, variables);
  if (mayAsk || options.yes) await tryThem(options, trials, candidates);
  return finishImport({ plan, candidates, trials, boards, around, variables });
};

const makePlan = async (work: Work, mayAsk: boolean): Promise<Plan> => {
  const { options, setting, chosen } = work;
  const { around, launch } = setting;
  const moved = await planMove(work, mayAsk);
  const entries = onePerPlace(chosen, around).flatMap(
    (one) => entryEdit(one, launch, around, options.required === true) ?? [],
  );
  const files = [
    ...(moved?.boards ?? []),
    ...folderChange(around, setting.newProjectId),
    ...(options.agents ? agentChanges(around) : []),
    ...clientChanges(withoutReplaced(entries, moved?.taken ?? []), around),
  ];
  const { approvals = [], secrets = {}, tried = [] } = moved ?? {};
  const changes: Changes = { project: around.projectDir, files, approvals, secrets, tried };
  return {
    changes,
    moved,
    own: ownFiles(changes, setting.config.directories.state),
    notes: notesFor(chosen, setting, options),
    sharing: [
      ...replacedNotes(entries, moved?.taken ?? []),
      ...sharingNotes(moved?.rows ?? [], files, around.projectDir),
    ],
  };
};

const show = ({ changes, moved, own, notes }: Plan, out: Out): void => {
  const known = Object.values(changes.secrets);
  if (moved !== undefined) showRows(moved.rows, out.say);
  for (const change of changes.files) showChange(change, known, out);
  showOwnFiles(own, out);
  if (moved !== undefined) showRules(moved.rules, out.say);
  for (const note of notes) out.say(plain(note));
};

const actionOf = (isNew: boolean): string => (isNew ? 'made' : 'changed');

const asJson = ({ changes, moved, own, notes, sharing }: Plan, work: Work, more: object): object => ({
  ...more,
  project: changes.project ?? null,
  clients: work.chosen.map(({ client, scope }) => ({ client: client.id, scope })),
  files: [
    ...changes.files.map(({ file, what, before, own: way }) => ({
      file,
      what,
      action: actionOf(before === undefined),
      ...(way && { by: way.program }),
    })),
    ...own.map(({ file, what, isNew }) => ({ file, what, action: actionOf(isNew) })),
  ],
  servers: moved?.rows ?? [],
  rules: moved?.rules ?? [],
  notes: [...sharing, ...notes],
});

interface Done {
  readonly plan: Plan;
  /** The run that was carried out; undefined if there was nothing to do. */
  readonly run: InitRun | undefined;
}

/** Carries out the plan under the lock; undefined if the plan is no longer the one agreed to, because another run came first. */
const carryOutLocked = (shown: Plan, work: Work): Promise<Done | undefined> =>
  changingState(work.setting.config.directories.state, async (held) => {
    const plan = await makePlan(work, false); // asks nothing while other commands wait for the lock
    if (!work.options.yes && !isDeepStrictEqual(plan.changes, shown.changes)) return undefined;
    const run = plan.changes.files.length === 0 ? undefined : await carryOut(plan.changes, held);
    noteProject(held, work.setting);
    return { plan, run };
  });

const ON_STDERR: Out = { say: tell, exactly: tellExactly };

/** True if the person agrees. A summary and the surprising notes are printed, then the question, at which `d` shows every change. */
const isAgreed = async (plan: Plan, { options }: Work): Promise<boolean> => {
  const { changes, moved, own, notes, sharing } = plan;
  assertAsked(options);
  if (options.yes) return true;
  const files = [...changes.files.map(({ file, before }) => ({ file, isNew: before === undefined })), ...own];
  showSummary(files, moved?.rows ?? [], tell);
  for (const note of [...notes, ...sharing]) tell(plain(note));
  const details = { hint: 'shows every change', show: () => show(plan, ON_STDERR) };
  return agreeTo(`Change ${count(files.length, 'file')}?`, options, undefined, details);
};

const agreed = async (work: Work, out: Out): Promise<Done | undefined> => {
  for (;;) {
    const plan = await makePlan(work, true);
    const isOver = work.options.dryRun || plan.changes.files.length === 0;
    if (isOver || work.options.yes) show(plan, out);
    if (!isOver) assertProjectWritable(plan.changes);
    if (isOver || work.options.yes) for (const note of plan.sharing) out.say(plain(note));
    if (isOver) return { plan, run: undefined };
    if (!(await isAgreed(plan, work))) return undefined;
    const done = await carryOutLocked(plan, work);
    if (done !== undefined) return done;
    tell('Another program has changed something meanwhile; this is the new plan:');
  }
};

const closing = (work: Work, run: InitRun | undefined): void => {
  if (work.options.dryRun) say('Nothing was changed: this was a dry run.');
  else if (run === undefined) say('Everything is already set up: nothing was changed.');
  else {
    for (const { client } of work.chosen) say(`${client.title}: ${client.restart}.`);
    say(`Done. \`colibri init --undo${work.options.user ? ' --user' : ''}\` undoes the changes.`);
  }
};

export const writeEntries = async (options: InitOptions): Promise<number> => {
  const setting = settingFor(options.project, options);
  assertLasting(setting.launch);
  for (const warning of setting.config.warnings) tell(`colibri: ${warning}`);
  const { chosen, notes } = chooseClients(options.client ?? [], options.scope, setting.around);
  const work: Work = { options, setting, chosen, trials: new Trials() };
  const out = outBeside(options.json);
  for (const note of notes) out.say(note);
  const startMs = await measureStart(setting.launch, setting.env);
  out.say(`Colibri starts in ${startMs} ms: ${plain([setting.launch.command, ...setting.launch.args].join(' '))}`);
  out.say('');
  const end = await agreed(work, out);
  if (end === undefined) return EXIT_FAILED;
  if (options.json) {
    sayJson(asJson(end.plan, work, { dry_run: options.dryRun === true, start_ms: startMs, run: end.run?.id ?? null }));
  } else closing(work, end.run);
  return 0;
};
