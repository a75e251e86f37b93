// `colibri secret`: the values that switchboard files name as ${secret:NAME}. A value is read from the terminal without an echo, or from a pipe;
// never from the command line, which the shell's history keeps and other users may see. No command prints one.
import { Command } from 'commander';
import { PROOF_LIMITS } from '../../proof/limits.js';
import { changeSecrets, readSecrets, secretsFile } from '../../switchboard/config/secrets.js';
import { confirmed } from '../confirm.js';
import { CLI_LIMITS } from '../limits.js';
import { noSuch } from '../mistake.js';
import type { PlaceOptions } from '../place-options.js';
import { withPlace } from '../place-options.js';
import { running } from '../run.js';
import { plain, say, sayJson, tell } from '../screen/print.js';
import { commandSettings } from '../settings.js';
import { changingState } from '../state.js';
import { wrong } from '../target.js';
import { readHidden } from './read-hidden.js';

const AFTER = `
Switchboard files name secrets as \${secret:NAME}, so that they can be committed.
The values are in one file in your state directory, which only you can read.

  colibri secret set SEARCH_KEY       asks for the value, without an echo
  pass show search | colibri secret set SEARCH_KEY
  colibri secret list                 the names; no command shows a value
  colibri secret rm SEARCH_KEY        asks first; --yes does not ask

Running servers get a new value when they are started again: colibri does that
by itself when the file changes.
Exit codes: 0, 1 failed and nothing was changed, 130 interrupted.`;

interface SecretOptions extends PlaceOptions {
  readonly yes?: true;
}

const NAME = /^[A-Za-z0-9_.-]+$/;

const checkedName = (name: string): string => {
  if (NAME.test(name) && name.length <= PROOF_LIMITS.nameChars) return name;
  throw wrong(`${JSON.stringify(name)} is not a name of a secret.`, 'Use letters, digits, and the signs _ . -');
};

const stateOf = ({ project }: SecretOptions): string => commandSettings(project).directories.state;

const set = async (name: string, options: SecretOptions): Promise<number> => {
  checkedName(name);
  const state = stateOf(options);
  const value = await readHidden(`Value of ${name} (it is not shown): `);
  if (value === '') throw wrong('The value is empty.', 'Nothing was changed.');
  if (Buffer.byteLength(value) > CLI_LIMITS.secretBytes)
    throw wrong(`The value is longer than ${CLI_LIMITS.secretBytes} bytes.`, 'Nothing was changed.');
  let isNew = true;
  await changingState(state, (held) =>
    changeSecrets(held, (known) => {
      isNew = !Object.hasOwn(known, name);
      return { ...known, [name]: value };
    }),
  );
  if (options.json) sayJson({ set: name, new: isNew, file: secretsFile(state) });
  else say(plain(`${isNew ? 'saved' : 'replaced'} ${name}; a switchboard file uses it as \${secret:${name}}`));
  return 0;
};

const list = async (options: SecretOptions): Promise<number> => {
  const state = stateOf(options);
  const names = Object.keys(readSecrets(state)).sort();
  if (options.json) sayJson({ secrets: names, file: secretsFile(state) });
  else if (names.length === 0) say('There are no secrets.');
  else for (const name of names) say(plain(name));
  return 0;
};

const remove = async (name: string, options: SecretOptions): Promise<number> => {
  checkedName(name);
  const state = stateOf(options);
  const names = Object.keys(readSecrets(state));
  if (!names.includes(name))
    throw wrong(`There is no secret ${name}.`, names.length === 0 ? 'There are none.' : `Secrets: ${names.join(' ')}.`);
  if (options.yes !== true && !(await confirmed(`Remove the secret ${name} for good?`))) {
    tell('Nothing was removed.');
    return 1;
  }
  await changingState(state, (held) =>
    changeSecrets(held, ({ [name]: _gone, ...kept }) => (Object.keys(kept).length === 0 ? undefined : kept)),
  );
  if (options.json) sayJson({ removed: name });
  else say(plain(`removed ${name}; servers that name it wait until it is set again`));
  return 0;
};

const sub = (name: string, description: string): Command => withPlace(new Command(name)).description(description);

export const secretCommand = (): Command => {
  const command = new Command('secret')
    .description('set, list and remove the secrets that switchboard files name')
    .enablePositionalOptions()
    .addHelpText('after', AFTER)
    .allowExcessArguments()
    .action(() => {
      const [name] = command.args;
      if (name === undefined) command.help();
      else
        command.error(
          noSuch(
            name,
            command.commands.map((one) => one.name()),
          ),
        );
    });
  command.addCommand(
    sub('set', 'save a value, which is asked for or read from a pipe')
      .argument('<name>', 'its name in switchboard files')
      .action(running(set)),
  );
  command.addCommand(sub('list', 'the names').action(running(list)));
  command.addCommand(
    sub('rm', 'remove one').argument('<name>', 'its name').option('--yes', 'do not ask').action(running(remove)),
  );
  return command;
};
