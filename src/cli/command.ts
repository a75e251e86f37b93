// The command line: one file per command. Only the command that was asked for is loaded, because a client waits for
// `serve`; help and mistakes load them all.
import { Command } from 'commander';
import { nearest } from '../nearest.js';
import { readVersion } from '../version.js';

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.js')).serveCommand(),
  verify: async () => (await import('./verify.js')).verifyCommand(),
  prove: async () => (await import('./prove.js')).proveCommand(),
  checkpoint: async () => (await import('./checkpoint.js')).checkpointCommand(),
  restore: async () => (await import('./restore.js')).restoreCommand(),
  erase: async () => (await import('./erase.js')).eraseCommand(),
  prune: async () => (await import('./prune.js')).pruneCommand(),
  backup: async () => (await import('./backup.js')).backupCommand(),
  export: async () => (await import('./export.js')).exportCommand(),
  doctor: async () => (await import('./doctor.js')).doctorCommand(),
  switchboard: async () => (await import('./switchboard.js')).switchboardCommand(),
  status: async () => (await import('./status.js')).statusCommand(),
  tasks: async () => (await import('./tasks.js')).tasksCommand(),
  log: async () => (await import('./log.js')).logCommand(),
  init: async () => (await import('./init.js')).initCommand(),
  uninstall: async () => (await import('./uninstall.js')).uninstallCommand(),
  demo: async () => (await import('./demo.js')).demoCommand(),
};

/** Without a command, unless a person is there: a program talks to us. */
const withDefault = (argv: readonly string[]): string[] => (argv.length <= 2 ? [...argv, 'serve'] : [...argv]);

const VERSION_FLAGS = ['-v', '--version'];

const wanted = (name = ''): readonly string[] => {
  if (VERSION_FLAGS.includes(name)) return [];
  return Object.hasOwn(COMMANDS, name) ? [name] : Object.keys(COMMANDS);
};

const unknown = (name: string): string => {
  const meant = nearest(name, Object.keys(COMMANDS));
  return `error: there is no command '${name}'${meant === undefined ? '' : `; the nearest is '${meant}'`}`;
};

export const runCommand = async (argv: readonly string[]): Promise<void> => {
  if (argv.length <= 2 && process.stdin.isTTY === true) {
    (await import('./welcome.js')).welcome();
    return;
  }
  const full = withDefault(argv);
  const program: Command = new Command('colibri')
    .description(
      'One local process between an AI agent and the tools it reaches over MCP, with a ledger of every call.',
    )
    .version(readVersion(), VERSION_FLAGS.join(', '))
    .helpCommand(true)
    .enablePositionalOptions() // an option belongs to the command it stands behind
    .allowExcessArguments()
    .action(() => {
      const [name] = program.args;
      if (name === undefined) program.outputHelp();
      else program.error(unknown(name));
    });
  for (const name of wanted(full[2])) {
    const load = COMMANDS[name];
    if (load !== undefined) program.addCommand(await load());
  }
  await program.parseAsync(full);
};
