// The list of commands and the parsing of the command line. Only the module of the given command is loaded, because a client waits
// for `serve` to start; help and unknown commands load all modules.
import { Command } from 'commander';
import { readVersion } from '../start/version.js';
import { noSuch, withMistakes } from './mistake.js';

/** The commands in the order of `--help`: what a newcomer needs comes first. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, () => Promise<Command>>>>> = {
  'Begin:': {
    demo: async () => (await import('./demo/demo.js')).demoCommand(),
    init: async () => (await import('./init/init.js')).initCommand(),
    uninstall: async () => (await import('./uninstall/uninstall.js')).uninstallCommand(),
    serve: async () => (await import('./serve.js')).serveCommand(),
  },
  'Look:': {
    status: async () => (await import('./status/status.js')).statusCommand(),
    log: async () => (await import('./log/log.js')).logCommand(),
    tasks: async () => (await import('./tasks/tasks.js')).tasksCommand(),
    view: async () => (await import('./view/view.js')).viewCommand(),
    logs: async () => (await import('./logs/logs.js')).serverLogsCommand(),
    nodes: async () => (await import('./nodes/nodes.js')).nodesCommand(),
    switchboard: async () => (await import('./switchboard/switchboard.js')).switchboardCommand(),
    secret: async () => (await import('./secret/secret.js')).secretCommand(),
    doctor: async () => (await import('./doctor/doctor.js')).doctorCommand(),
    version: async () => (await import('./version.js')).versionCommand(),
    completion: async () =>
      (await import('./completion/completion.js')).completionCommand(() =>
        Promise.all(NAMES.map((name) => LOADS[name]?.() ?? new Command(name))),
      ),
  },
  'Allow:': {
    approvals: async () => (await import('./approvals/approvals.js')).approvalsCommand(),
    approve: async () => (await import('./approvals/answer.js')).approveCommand(),
    deny: async () => (await import('./approvals/answer.js')).denyCommand(),
    voters: async () => (await import('./voters/voters.js')).votersCommand(),
  },
  'Prove:': {
    verify: async () => (await import('./verify/verify.js')).verifyCommand(),
    prove: async () => (await import('./prove.js')).proveCommand(),
    vrf: async () => (await import('./vrf/vrf.js')).vrfCommand(),
    page: async () => (await import('./page/page.js')).pageCommand(),
    report: async () => (await import('./report/report.js')).reportCommand(),
    checkpoint: async () => (await import('./checkpoint/checkpoint.js')).checkpointCommand(),
  },
  'Keep:': {
    backup: async () => (await import('./backup/backup.js')).backupCommand(),
    restore: async () => (await import('./restore/restore.js')).restoreCommand(),
    'accept-loss': async () => (await import('./restore/accept-loss.js')).acceptLossCommand(),
    export: async () => (await import('./export/export.js')).exportCommand(),
    'migrate-store': async () => (await import('./migrate-store/migrate-store.js')).migrateStoreCommand(),
    prune: async () => (await import('./prune/prune.js')).pruneCommand(),
    erase: async () => (await import('./erase/erase.js')).eraseCommand(),
  },
};

const NAMES: readonly string[] = Object.values(GROUPS).flatMap((group) => Object.keys(group));

/** How each command is loaded, whatever its group. */
const LOADS: Readonly<Record<string, (() => Promise<Command>) | undefined>> = Object.assign(
  {},
  ...Object.values(GROUPS),
);

const VERSION_FLAGS = ['-v', '--version'];

const wanted = (name = ''): readonly string[] => {
  if (VERSION_FLAGS.includes(name)) return [];
  return NAMES.includes(name) ? [name] : NAMES;
};

/** The command name that was given (also after `help`) if no command has this name. */
const unknownIn = ([, , first = '', second = '']: readonly string[]): string | undefined => {
  const name = first === 'help' ? second : first;
  return name === '' || name.startsWith('-') || NAMES.includes(name) ? undefined : name;
};

/** `help <command> <subcommand>` as the command line that shows the same. */
const asHelp = (argv: readonly string[]): readonly string[] => {
  const [node = '', main = '', help, ...path] = argv;
  return help === 'help' && path.length > 1 ? [node, main, ...path, '--help'] : argv;
};

/** The subcommand that help was asked for, if the command has none of this name. */
const unknownSub = (program: Command, [, , help, name, sub]: readonly string[]): string | undefined => {
  if (help !== 'help' || sub === undefined) return undefined;
  const subs = program.commands.find((one) => one.name() === name)?.commands.map((one) => one.name()) ?? [];
  return subs.includes(sub)
    ? undefined
    : noSuch(
        `${name} ${sub}`,
        subs.map((one) => `${name} ${one}`),
      );
};

const addCommands = async (program: Command, names: readonly string[]): Promise<void> => {
  for (const [group, loads] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const [name, load] of Object.entries(loads)) {
      if (names.includes(name)) program.addCommand(await load());
    }
  }
};

export const runCommand = async (argv: readonly string[]): Promise<void> => {
  if (argv.length <= 2 && process.stdin.isTTY === true) {
    (await import('./welcome.js')).welcome();
    return;
  }
  const full = argv.length <= 2 ? [...argv, 'serve'] : [...argv]; // without a command, a program has started Colibri
  const program: Command = new Command('colibri')
    .description(
      'One local process between an AI agent and the tools it reaches over MCP, with a ledger of every call.',
    )
    .version(readVersion(), VERSION_FLAGS.join(', '), 'show the version')
    .helpOption('-h, --help', 'show this')
    .usage('<command> [options]')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpCommand(new Command('help').argument('[command]').helpGroup('Begin:').description('help for one command'))
    .enablePositionalOptions() // an option belongs to the command that it follows
    .addHelpText('after', '\ncolibri <command> --help shows its options, examples and exit codes.')
    .action(() => program.outputHelp());
  const line = asHelp(full);
  await addCommands(program, wanted(line[2]));
  withMistakes(program);
  const unknown = unknownIn(full);
  if (unknown !== undefined) program.error(noSuch(unknown, NAMES));
  const unknownBelow = unknownSub(program, full);
  if (unknownBelow !== undefined) program.error(unknownBelow);
  await program.parseAsync(line);
};
