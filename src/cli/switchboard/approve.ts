// `colibri switchboard approve`: shows which servers a project's switchboard file starts, and records the user's approval.
import { readEnv } from '../../config.js';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { addApprovals } from '../../switchboard/config/approvals.js';
import { approvalFor, type JudgedServer } from '../../switchboard/config/consent.js';
import { readBoards } from '../../switchboard/config/followed-files.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readSecrets } from '../../switchboard/config/secrets.js';
import { confirmed } from '../confirm.js';
import type { PlaceOptions } from '../place.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { showQuestion } from './consent-screen.js';
import { assertFile, findFile } from './place.js';

interface ApproveOptions extends PlaceOptions {
  readonly json?: true;
  readonly yes?: true;
}

const wantedOf = (servers: readonly JudgedServer[], names: readonly string[]): readonly JudgedServer[] => {
  const unknown = names.find((name) => !servers.some(({ asked }) => asked.name === name));
  if (unknown !== undefined) throw wrong(`The file has no server ${JSON.stringify(unknown)}.`, 'Look at the file.');
  return names.length === 0 ? servers : servers.filter(({ asked }) => names.includes(asked.name));
};

export const approve = async (names: readonly string[], options: ApproveOptions): Promise<number> => {
  const { file, origin, config: settings } = assertFile(findFile(options));
  if (origin !== 'project') {
    say(`${plain(file)} is your own; its servers need no approval.`);
    return 0;
  }
  const stateDir = settings.directories.state;
  const { configs, merged } = readBoards([{ file, origin }], { env: readEnv(), stateDir });
  const [config] = configs;
  if (config === undefined || config.errors.length > 0)
    throw wrong(
      config?.errors[0] === undefined ? `${file} has errors.` : problemText(config.errors[0]),
      'See `colibri switchboard check`.',
    );
  const held = wantedOf(merged.servers, names).filter(({ standing }) => standing !== 'approved');
  const done = (): number => {
    if (options.json) sayJson({ file, approved: held.map(({ asked }) => asked.name) });
    else say(held.length === 0 ? 'Nothing waits for approval.' : `Approved ${count(held.length, 'server')}.`);
    return 0;
  };
  if (held.length === 0) return done();
  tell(`${plain(file)} would start:`);
  const secrets = readSecrets(stateDir);
  for (const judged of held) showQuestion(judged, config, secrets);
  if (!options.yes && process.stdin.isTTY !== true)
    throw wrong('There is no terminal to ask you on.', 'Add --yes if you agree.');
  if (!options.yes && !(await confirmed('May they be started?'))) return EXIT_FAILED;
  const at = isoClock()();
  const agreed = held.map(({ asked }) => ({ ...approvalFor(asked, config), at }));
  await changingState(stateDir, (lock) => addApprovals(lock, agreed));
  return done();
};
