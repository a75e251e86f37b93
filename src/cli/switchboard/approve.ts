// colibri switchboard approve: the user agrees to what a project's file starts, having seen it.

import { readEnv } from '../../config.js';
import { isoClock } from '../../core/clock.js';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import { addApprovals } from '../../switchboard/config/approvals.js';
import type { ServerConfig } from '../../switchboard/config/config.js';
import { connectionDigest, type InheritEnv } from '../../switchboard/config/connection.js';
import { consentFor } from '../../switchboard/config/consent.js';
import { readSwitchboard } from '../../switchboard/config/followed-file.js';
import { problemText } from '../../switchboard/config/problem.js';
import { readSecrets, variablesFrom } from '../../switchboard/config/secrets.js';
import { confirmed } from '../confirm.js';
import type { PlaceOptions } from '../place.js';
import { paint, plain, say, sayJson, tell } from '../screen/print.js';
import { wrong } from '../target.js';
import { assertFile, findFile } from './place.js';
import { reachedBy, shownConnection } from './shown.js';

interface ApproveOptions extends PlaceOptions {
  readonly json?: true;
  readonly yes?: true;
}

const wantedOf = (servers: readonly ServerConfig[], names: readonly string[]): readonly ServerConfig[] => {
  const unknown = names.find((name) => !servers.some((server) => server.name === name));
  if (unknown !== undefined) throw wrong(`The file has no server ${JSON.stringify(unknown)}.`, 'Look at the file.');
  return names.length === 0 ? servers : servers.filter(({ name }) => names.includes(name));
};

/** Undefined: the few variables that every server gets. */
const inheritedText = (inheritEnv: InheritEnv): string | undefined => {
  if (inheritEnv === 'minimal') return undefined;
  if (inheritEnv === 'all') return 'inheritEnv: "all": it gets your whole environment, with every secret in it';
  return `inheritEnv: it gets these of your environment: ${inheritEnv.join(', ')}`;
};

/** Everything that is agreed to: what is started, where, with which variables. */
const show = (server: ServerConfig): void => {
  const shown = shownConnection(server);
  tell(`  ${paint('bold', plain(server.name))}: ${plain(reachedBy(server))}`);
  if (shown.kind === 'http') {
    for (const [name, value] of Object.entries(shown.headers)) tell(`    ${plain(name)}: ${plain(value)}`);
    return;
  }
  tell(`    in ${plain(shown.cwd)}`);
  for (const [name, value] of Object.entries(shown.env)) tell(`    ${plain(name)}=${plain(value)}`);
  const inherited = inheritedText(shown.inheritEnv);
  if (inherited !== undefined) tell(`    ${paint('yellow', plain(inherited))}`);
};

export const approve = async (names: readonly string[], options: ApproveOptions): Promise<number> => {
  const place = assertFile(findFile(options));
  const { file, origin, config } = place;
  if (origin !== 'project') {
    say(`${plain(file)} is your own; its servers need no approval.`);
    return 0;
  }
  const { servers, errors } = readSwitchboard(place, variablesFrom(readEnv(), readSecrets(config.directories.state)));
  const [first] = errors;
  if (first !== undefined) throw wrong(`${problemText(first)}`, 'See `colibri switchboard check`.');
  const consent = consentFor(origin, config.directories.state);
  const held = wantedOf(servers, names).filter((server) => consent.holdOf(server) === 'not_approved');
  const done = (): number => {
    if (options.json) sayJson({ file, approved: held.map(({ name }) => name) });
    else say(held.length === 0 ? 'Nothing waits for approval.' : `Approved ${count(held.length, 'server')}.`);
    return 0;
  };
  if (held.length === 0) return done();
  tell(`${plain(file)} starts:`);
  held.forEach(show);
  if (!options.yes && process.stdin.isTTY !== true)
    throw wrong('Nobody is there to be asked.', 'Add --yes if you agree.');
  if (!options.yes && !(await confirmed('May they be started?'))) return EXIT_FAILED;
  const at = isoClock()();
  addApprovals(
    config.directories.state,
    held.map((server) => ({ digest: connectionDigest(server), server: server.name, file, at })),
  );
  return done();
};
