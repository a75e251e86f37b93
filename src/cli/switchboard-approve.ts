// colibri switchboard approve: the user agrees to what a project's file starts, having seen it.
import { isoClock } from '../clock.js';
import { readEnv } from '../config.js';
import { EXIT_FAILED } from '../exit-codes.js';
import { count } from '../figures.js';
import { addApprovals } from '../switchboard/approvals.js';
import type { ServerConfig } from '../switchboard/config.js';
import { connectionDigest } from '../switchboard/connection.js';
import { consentFor } from '../switchboard/consent.js';
import { readSecrets, variablesFrom } from '../switchboard/secrets.js';
import { readSwitchboard } from '../switchboard/switchboard-file.js';
import { confirmed } from './confirm.js';
import type { PlaceOptions } from './place.js';
import { paint, plain, say, sayJson, tell } from './print.js';
import { reachedBy } from './switchboard-check.js';
import { assertFile, findFile } from './switchboard-place.js';
import { wrong } from './target.js';

interface ApproveOptions extends PlaceOptions {
  readonly json?: true;
  readonly yes?: true;
}

const wantedOf = (servers: readonly ServerConfig[], names: readonly string[]): readonly ServerConfig[] => {
  const unknown = names.find((name) => !servers.some((server) => server.name === name));
  if (unknown !== undefined) throw wrong(`The file has no server ${JSON.stringify(unknown)}.`, 'Look at the file.');
  return names.length === 0 ? servers : servers.filter(({ name }) => names.includes(name));
};

/** Everything that is agreed to: what is started, where, with which variables. */
const show = (server: ServerConfig): void => {
  const { written } = server;
  tell(`  ${paint('bold', plain(server.name))}: ${plain(reachedBy(server))}`);
  if (written.kind === 'stdio') {
    tell(`    in ${plain(written.cwd)}`);
    for (const [name, value] of Object.entries(written.env)) tell(`    ${plain(name)}=${plain(value)}`);
    return;
  }
  for (const [name, value] of Object.entries(written.headers)) tell(`    ${plain(name)}: ${plain(value)}`);
};

export const approve = async (names: readonly string[], options: ApproveOptions): Promise<number> => {
  const { file, origin, config } = assertFile(findFile(options));
  if (origin !== 'project') {
    say(`${plain(file)} is your own; its servers need no approval.`);
    return 0;
  }
  const { servers, errors } = readSwitchboard(file, variablesFrom(readEnv(), readSecrets(config.directories.state)));
  if (errors.length > 0) throw wrong(`${file} has errors.`, 'See `colibri switchboard check`.');
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
