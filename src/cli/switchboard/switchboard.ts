// colibri switchboard
import { Command, Option } from 'commander';
import { noSuch } from '../mistake.js';
import { withPlace } from '../place.js';
import { running } from '../run.js';
import { approve } from './approve.js';
import { type BoardOptions, board } from './board.js';
import { check } from './check.js';
import { add, remove } from './edit.js';
import { replayHealth } from './replay.js';

const AFTER = `
  colibri switchboard            what every running process says of its servers;
                                 on a terminal, live until Ctrl-C
  colibri switchboard check [file]
                                 reads a file and says what would be started;
                                 starts nothing
  colibri switchboard check --start
                                 starts every server that may be, and says what
                                 answered
  colibri switchboard approve    agrees to the servers that this project's file
                                 starts
  colibri switchboard add search -- npx -y some-search-server
  colibri switchboard add docs https://docs.example/mcp
  colibri switchboard remove search
  colibri switchboard replay     recorded health events through the health
                                 machine again

The file is COLIBRI_SWITCHBOARD alone, else the project's
.colibri/switchboard.json and the user's own, merged by name. What is added goes
into the project's, if there is one.`;

const gather = (value: string, before: readonly string[] = []): string[] => [...before, value];

const checkCommand = (): Command =>
  withPlace(new Command('check'))
    .description('what a file would start, without starting anything')
    .argument('[file]', 'another file than the one that counts')
    .option('--start', 'start what may be started, say what answers, end it again')
    .action(running(check));

const approveCommand = (): Command =>
  withPlace(new Command('approve'))
    .description("agree to the servers of this project's file")
    .argument('[servers...]', 'only these')
    .option('--yes', 'do not ask')
    .action(running(approve));

const addCommand = (): Command =>
  withPlace(new Command('add'))
    .description('add a server to the file')
    .argument('<name>', 'what the server is called here; its tools carry it')
    .argument('<target...>', 'a URL, or after -- a command with its arguments')
    .addOption(new Option('-e, --env <NAME=value>', 'a variable of its process').argParser(gather))
    .addOption(new Option('-H, --header <Name: value>', 'a header for a URL').argParser(gather))
    .addOption(new Option('--file <file>', 'another file than the one that counts'))
    .action(running(add));

const removeCommand = (): Command =>
  withPlace(new Command('remove'))
    .description('remove a server from the file')
    .argument('<name>', 'of the server, as the file has it')
    .addOption(new Option('--file <file>', 'another file than the one that counts'))
    .action(running(remove));

const replayCommand = (): Command =>
  withPlace(new Command('replay'))
    .description('give recorded health events to the health machine again; it must decide as it did')
    .action(running(replayHealth));

export const switchboardCommand = (): Command => {
  const command = withPlace(new Command('switchboard'))
    .description('the other MCP servers behind this one: their state, their file')
    .option('--once', 'on a terminal: print once')
    .enablePositionalOptions() // or options behind a subcommand would be taken for ours
    .addHelpText('after', AFTER)
    .allowExcessArguments()
    .action(async (options: BoardOptions) => {
      const [name] = command.args;
      const names = command.commands.map((sub) => sub.name());
      if (name !== undefined) command.error(noSuch(name, names));
      await running(board)(options);
    });
  for (const sub of [checkCommand(), approveCommand(), addCommand(), removeCommand(), replayCommand()]) {
    command.addCommand(sub);
  }
  return command;
};
