// `colibri vrf verify`: checks an output of the tool vrf_eval, or of any other RFC 9381 function of the same suite, without a store.
import { Command, Option } from 'commander';
import { VRF_KEY_BYTES, VRF_PROOF_BYTES, verifyVrf } from '../../vrf/ecvrf.js';
import { readInput } from '../input.js';
import { noSuch } from '../mistake.js';
import { running } from '../run.js';
import { say, sayJson } from '../screen/print.js';
import { wrong } from '../target.js';

const AFTER = `
The suite is ECVRF-EDWARDS25519-SHA512-TAI of RFC 9381. Neither a store nor a
secret is needed: the key, the input and the proof say everything.

  colibri vrf verify --key 9f3c… --input 'who reviews T-0001?' --proof 8657…
  colibri vrf verify --key 9f3c… --input-file question.txt --proof 8657…
                            a text file; - is stdin
  colibri vrf verify … --output 90cf…
                            also compares the output that you were told

Exit codes: 0 the proof holds, 20 it does not, 1 the arguments are wrong.`;

const EXIT_REFUTED = 20;

interface VrfOptions {
  readonly key: string;
  readonly proof: string;
  readonly input?: string;
  readonly inputFile?: string;
  readonly output?: string;
  readonly json?: true;
}

const OUTPUT_BYTES = 64;

/** The bytes that an option gives in hex. */
const bytesOf = (option: string, text: string, length: number): Uint8Array => {
  const isHex = /^[0-9a-f]*$/i.test(text) && text.length === 2 * length;
  if (isHex) return Buffer.from(text, 'hex');
  throw wrong(`${option} is not ${2 * length} hexadecimal digits.`, 'Copy it from the answer of vrf_eval.');
};

const inputOf = ({ input, inputFile }: VrfOptions): Uint8Array => {
  if ((input === undefined) === (inputFile === undefined))
    throw wrong('One input is needed.', 'Give either --input <text> or --input-file <file>.');
  return Buffer.from(input ?? readInput(inputFile ?? '', 'input'));
};

const verify = async (options: VrfOptions): Promise<number> => {
  const key = bytesOf('--key', options.key, VRF_KEY_BYTES);
  const proof = bytesOf('--proof', options.proof, VRF_PROOF_BYTES);
  const told = options.output === undefined ? undefined : bytesOf('--output', options.output, OUTPUT_BYTES);
  const proved = verifyVrf(key, inputOf(options), proof);
  const isSame = proved !== undefined && (told === undefined || Buffer.from(proved).equals(told));
  const output = proved === undefined ? null : Buffer.from(proved).toString('hex');
  if (options.json) sayJson({ proved: isSame, output_hex: output });
  else if (output === null) say('NOT PROVED: the proof is not of this key and this input.');
  else if (!isSame) say(`NOT PROVED: the output of this key for this input is another one: ${output}`);
  else say(`PROVED: the one output of this key for this input is ${output}`);
  return isSame ? 0 : EXIT_REFUTED;
};

const verifySubcommand = (): Command =>
  new Command('verify')
    .description('check one output with the public key alone')
    .requiredOption('--key <hex>', 'the public key, 64 digits')
    .requiredOption('--proof <hex>', 'the proof, 160 digits')
    .option('--input <text>', 'the input as text')
    .option('--input-file <file>', 'a text file that holds the input; - is stdin')
    .option('--output <hex>', 'the output that you were told, 128 digits')
    .addOption(new Option('--json', 'print JSON on stdout'))
    .action(running(verify));

export const vrfCommand = (): Command => {
  const command = new Command('vrf')
    .description('check the outputs of verifiable random functions')
    .enablePositionalOptions() // otherwise options after the subcommand would be taken for options of `vrf`
    .addHelpText('after', AFTER)
    .allowExcessArguments()
    .addCommand(verifySubcommand())
    .action(() => {
      const [name] = command.args;
      const names = command.commands.map((one) => one.name());
      if (name !== undefined) command.error(noSuch(name, names));
      command.outputHelp();
    });
  return command;
};
