// `colibri completion`: prints a script with which a shell completes the commands, subcommands and options of this version.
import { Command } from 'commander';
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { running } from '../run.js';
import { say, tell } from '../screen/print.js';
import { SCRIPTS } from './scripts.js';
import { type CommandWords, wordsOfCommand } from './words.js';

const AFTER = `
  bash   colibri completion bash \\
           > ~/.local/share/bash-completion/completions/colibri
  zsh    colibri completion zsh > a folder of your fpath, as the file _colibri
  fish   colibri completion fish > ~/.config/fish/completions/colibri.fish

For the running shell alone: source <(colibri completion bash), the same in zsh;
in fish: colibri completion fish | source

Exit codes: 0, 1 there is no script for that shell.`;

/** `commands`: loads every command of the program. */
export const completionCommand = (commands: () => Promise<readonly Command[]>): Command =>
  new Command('completion')
    .description('a script with which bash, zsh or fish completes commands and options')
    .argument('<shell>', `${Object.keys(SCRIPTS).join(', ')}`)
    .addHelpText('after', AFTER)
    .action(
      running(async (shell: string): Promise<number> => {
        const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
        if (script === undefined) {
          tell(`colibri: There is no script for ${JSON.stringify(shell)}. Shells: ${Object.keys(SCRIPTS).join(', ')}.`);
          return EXIT_FAILED;
        }
        const words: CommandWords[] = (await commands()).map((command) => wordsOfCommand(command));
        say(script(words));
        return 0;
      }),
    );
