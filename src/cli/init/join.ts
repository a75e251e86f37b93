// `init --join`: a person confirms that the id in .colibri/project.json belongs to this folder, although this machine knows the id from
// another folder, or that tasks which have only the project's name belong to this project. The confirmation takes effect when `serve`
// starts next.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { ColibriError } from '../../errors.js';
import type { HeldState } from '../../files/held-file.js';
import { type Identity, type IdentityPlace, joinProject, lookUpIdentity, pairProject } from '../../start/identity.js';
import { type Project, resolveStore } from '../../start/project.js';
import { outBeside, plain, sayJson } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { type AskingOptions, agreeTo } from './ask.js';
import { type Setting, settingFor } from './setting.js';

const placeFor = ({ config, around: { projectDir } }: Setting): IdentityPlace | undefined => {
  if (projectDir === undefined) return undefined;
  const project: Project = { none: false, dir: projectDir, name: basename(projectDir), rule: 'init' };
  return { project, choice: resolveStore(config, project), stateDir: config.directories.state };
};

/** Registers the project's id for its folder. If the table of projects cannot be changed, the next start of `serve` reports that. */
export const noteProject = (held: HeldState, setting: Setting): void => {
  const place = placeFor(setting);
  if (place === undefined) return;
  try {
    pairProject(held, place, isoClock()());
  } catch (thrown) {
    if (!(thrown instanceof ColibriError)) throw thrown;
  }
};

const explanation = ({ waiting }: Identity, { project, choice }: IdentityPlace): string => {
  if (waiting === undefined) {
    const store = choice.kind === 'sqlite' ? choice.path : 'the store';
    return `Tasks in ${store} that have the name ${project.name} and no id will belong to ${project.dir}.`;
  }
  const others = waiting.paths.length === 0 ? '' : ` This machine knows it from: ${waiting.paths.join(', ')}.`;
  return `The id ${waiting.id} in .colibri/project.json will be the id of ${project.dir}.${others} Projects with one id share their tasks.`;
};

export const join = async (options: AskingOptions): Promise<number> => {
  const place = placeFor(settingFor(options.project));
  if (place === undefined)
    throw wrong('There is no project to join.', 'Run the command in a repository, or give --project <dir>.');
  const before = lookUpIdentity(place);
  const out = outBeside(options.json);
  out.say(plain(explanation(before, place)));
  if (options.dryRun) out.say('Nothing was changed: this was a dry run.');
  else {
    if (!(await agreeTo('Is that right?', options))) return EXIT_FAILED;
    await changingState(place.stateDir, (held) => joinProject(held, place, isoClock()(), existsSync));
    out.say('Done. The change takes effect in every process that is started from now on.');
  }
  const { id, rule } = lookUpIdentity(place);
  if (options.json) sayJson({ project: place.project.dir, project_id: id, rule, dry_run: options.dryRun === true });
  return 0;
};
