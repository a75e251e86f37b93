// The command `colibri switchboard` with its subcommands and help.
import { Command, Option } from 'commander';
import { noSuch } from '../mistake.js';
import { withPlace } from '../place.js';
import { running } from '../run.js';
import { act } from './act.js';
import { approve } from './approve.js';
import { type BoardOptions, board } from './board.js';
import { check } from './check.js';
import { add, remove } from './edit.js';
import { listServers } from './list.js';
import { FILE_SCOPES } from './place.js';
import { replayHealth } from './replay.js';
import { routeCommand } from './route.js';
import { listTools } from './tools.js';

const AFTER = `
  colibri switchboard            shows the servers of every running process;
                                 on a terminal, live until Ctrl-C
  colibri switchboard list       the servers and routes of the files in use, and
                                 which file each is from
  colibri switchboard tools search
                                 its tools, and what calls of them may do
  colibri switchboard check [file]
                                 reads a file and says what would be started;
                                 starts nothing
  colibri switchboard check --start
                                 starts every server that is ready, and says
                                 which ones answer
  colibri switchboard approve    approves the servers that this project's file
                                 starts, and tools that changed of servers with
                                 "onChange": "hold"; shows the differences
  colibri switchboard add search -- npx -y some-search-server
  colibri switchboard add docs https://docs.example/mcp
  colibri switchboard add mine --scope user -- npx -y my-server
  colibri switchboard remove search
  colibri switchboard route add web:search brave/search google/search
  colibri switchboard route rm web:search
  colibri switchboard restart search
                                 ends it and starts it again, in every process
  colibri switchboard retry search
                                 tries it now, although it is in quarantine;
                                 both are recorded with your name
  colibri switchboard replay     runs recorded health events through the
                                 health machine again

The file is COLIBRI_SWITCHBOARD if that is set, otherwise the project's
.colibri/switchboard.json and the user's own, merged by name. A server is added
to the project's file, if there is one; --scope says which of the two.`;

const gather = (value: string, before: readonly string[] = []): string[] => [...before, value];

const sub = (name: string, description: string): Command => withPlace(new Command(name)).description(description);

const OTHER_FILE = 'another file than the one in use';

/** A subcommand that edits a file. */
const editing = (name: string, description: string): Command =>
  sub(name, description)
    .option('--file <file>', OTHER_FILE)
    .addOption(new Option('--scope <scope>', "the user's own file, or the project's").choices(FILE_SCOPES));

const subcommands = (): readonly Command[] => [
  sub('check', 'say what a file would start, without starting anything')
    .argument('[file]', OTHER_FILE)
    .option('--start', 'start the servers that are ready, say which answer, end them again')
    .action(running(check)),
  sub('approve', "approve the servers of this project's file, and tools that are held")
    .argument('[servers...]', 'only these')
    .option('--yes', 'do not ask')
    .action(running(approve)),
  sub('list', 'the servers and routes of the files in use').action(running(listServers)),
  sub('tools', 'the tools that a server listed last')
    .argument('<server>', 'the name of the server')
    .action(running(listTools)),
  editing('add', 'add a server to the file')
    .argument('<name>', 'the name of the server; the names of its tools begin with it')
    .argument('<target...>', 'a URL, or after -- a command with its arguments')
    .addOption(new Option('-e, --env <NAME=value>', 'a variable of its process').argParser(gather))
    .addOption(new Option('-H, --header <Name: value>', 'a header for a URL').argParser(gather))
    .action(running(add)),
  editing('remove', 'remove a server from the file')
    .argument('<name>', 'the name of the server in the file')
    .action(running(remove)),
  routeCommand(editing),
  sub('restart', 'end a server and start it again, in every running process')
    .argument('<server>', 'the name of the server')
    .action(running(act('restart'))),
  sub('retry', 'try a server now that does not work; its quarantine is lifted by one request')
    .argument('<server>', 'the name of the server')
    .action(running(act('retry'))),
  sub('replay', 'run recorded health events through the health machine again and compare').action(
    running(replayHealth),
  ),
];

export const switchboardCommand = (): Command => {
  const command = withPlace(new Command('switchboard'))
    .description('show the other MCP servers behind this one, and edit their file')
    .option('--once', 'on a terminal: print once')
    .enablePositionalOptions() // otherwise options after a subcommand would be taken for options of `switchboard`
    .addHelpText('after', AFTER)
    .allowExcessArguments()
    .action(async (options: BoardOptions) => {
      const [name] = command.args;
      const names = command.commands.map((one) => one.name());
      if (name !== undefined) command.error(noSuch(name, names));
      await running(board)(options);
    });
  for (const one of subcommands()) command.addCommand(one);
  return command;
};
