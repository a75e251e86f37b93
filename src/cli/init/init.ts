// `colibri init`: adds Colibri to MCP clients, and with `--undo` removes it again.
import { Command, Option } from 'commander';
import { CLIENT_IDS, type ClientPlace, type ClientScope, SCOPES } from '../../clients/client.js';
import { tomlTable } from '../../clients/toml-text.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { running } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { wrong } from '../target.js';
import { type AskingOptions, withAsking } from './ask.js';
import { OUR_NAME } from './client-files.js';
import type { Chosen } from './import.js';
import { join } from './join.js';
import { chooseClients, clientPlaceOf, entryFor } from './plan.js';
import { settingFor } from './setting.js';
import { undoLast } from './take-back.js';
import { writeEntries } from './write.js';

const AFTER = `
Writes an entry for Colibri into the files of the clients it finds, makes
.colibri/ in the project, and with --import moves the servers of these clients
behind the switchboard. Says in short what would change and asks; d shows every
change. If a client has a command of its own for this, init runs that.

  colibri init              for every client that is found
  colibri init --client cursor --scope project
  colibri init --dry-run --import
                            shows what would be written and moved
  colibri init --import --yes
                            without asking; starts each server once to see
                            whether it answers
  colibri init --user       your own files only: the project is not changed
  colibri init --agents     also adds our section to AGENTS.md or CLAUDE.md
  colibri init --client codex --required
                            Codex then waits for Colibri, and does not start
                            without it
  colibri init --client codex --print
                            prints the entry, to be pasted by hand
  colibri init --undo       undoes the last run in this project
  colibri init --join       confirms that this folder is the project whose id is
                            in its .colibri/project.json: they share their tasks

Exit codes: 0 done, or nothing to do; 1 failed or declined,
130 Ctrl-C at a question or while servers are tried: nothing was changed.`;

export interface InitOptions extends AskingOptions {
  readonly client?: readonly string[];
  readonly scope?: ClientScope;
  readonly print?: true;
  readonly import?: true;
  readonly agents?: true;
  readonly required?: true;
  readonly user?: true;
  readonly toolsets?: string;
  readonly undo?: true;
  readonly join?: true;
}

const printEntry = ({ client, scope, place, entry }: Chosen & { place: ClientPlace; entry: JsonObject }): void => {
  tell(`${client.title}, ${scope} scope: ${plain(place.file)}`);
  const path = [...place.keys, OUR_NAME];
  const nested = path.reduceRight<unknown>((value, key) => ({ [key]: value }), entry);
  say(place.format === 'toml' ? tomlTable(path, entry).trimEnd() : JSON.stringify(nested, undefined, 2));
};

/** Prints Colibri's entries as they would appear in the clients' files. */
const print = (options: InitOptions): number => {
  const { around, launch } = settingFor(options.project, options);
  const { chosen } = chooseClients(options.client ?? [], options.scope, around);
  const shown = chosen.map((one) => ({
    ...one,
    place: clientPlaceOf(one, around),
    entry: entryFor(one.client, launch, options.required === true),
  }));
  const rows = shown.map(({ client, scope, place, entry }) => ({ client: client.id, scope, file: place.file, entry }));
  if (options.json) sayJson(rows);
  else shown.forEach(printEntry);
  return 0;
};

const init = async (options: InitOptions): Promise<number> => {
  const { undo, join: isJoining } = options;
  const others =
    [options.import, options.agents, options.required, options.toolsets, options.print].some(Boolean) ||
    (isJoining && (undo || options.user));
  if ((undo || isJoining) && others) {
    throw wrong(
      `${undo ? '--undo' : '--join'} cannot be combined with other options.`,
      'Leave out --import, --agents, --required, --toolsets and --print, and give either --undo or --join.',
    );
  }
  if (options.user && (options.agents || (options.scope !== undefined && options.scope !== 'user')))
    throw wrong('--user changes nothing in the project.', 'Leave out --agents and --scope, or --user.');
  if (undo) return undoLast(options);
  if (isJoining) return join(options);
  return options.print ? print(options) : writeEntries(options);
};

export const initCommand = (): Command =>
  withAsking(new Command('init'))
    .description('add Colibri to your MCP clients, and move their servers behind it')
    .option('--client <name...>', `only these: ${CLIENT_IDS.join(', ')}`)
    .addOption(new Option('--scope <scope>', 'the scope of the client that the entry goes to').choices(SCOPES))
    .option('--import', "move the clients' servers behind the switchboard")
    .option('--agents', 'add our section to AGENTS.md or CLAUDE.md')
    .option('--user', 'change nothing in the project: your own files only')
    .option('--required', 'make clients that can (Codex) wait for Colibri, and not work without it')
    .option('--toolsets <sets>', 'more of its own tools, such as consensus; written into the entries')
    .option('--print', 'print the entries and change nothing')
    .option('--undo', 'undo the last run in this project')
    .option('--join', 'confirm that this folder is the project whose id it has')
    .addHelpText('after', AFTER)
    .action(running(init));
