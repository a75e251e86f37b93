// The tool vrf_eval: one output of the log's verifiable random function (RFC 9381), with the proof that it is the only one for the input.
import * as z from 'zod';
import { arg, defineTool, writing } from '../../call/define-tool.js';
import { DRAW_START } from '../../consensus/lots.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { hash, pattern } from '../shapes.js';
import { wrongArgument } from './errors.js';

type Ecvrf = typeof import('../../vrf/ecvrf.js');

export const vrfEval = defineTool({
  name: 'vrf_eval',
  title: 'Draw at random',
  description: 'Random bytes for an input: nobody can choose them, and anybody can check them.',
  when: 'To draw lots so that nobody has to trust the drawer: first agree on the input in public, then evaluate. The same input always gives the same output. `colibri vrf verify` checks it without the store.',
  effect: 'write', // it needs the key of the log, which a process that only reads does not use
  input: z.strictObject({
    input: arg(
      z.string().max(DOMAIN_LIMITS.vrfInputChars),
      'The text whose UTF-8 bytes are the input; may be empty. Not one that begins with `{"checkpoint":`: rounds draw with those.',
    ),
  }),
  output: z.strictObject({
    output_hex: pattern(/^[0-9a-f]{128}$/, 'hex').describe('64 bytes: the output.'),
    proof_hex: pattern(/^[0-9a-f]{160}$/, 'hex').describe('80 bytes: the proof.'),
    public_key: hash.describe("The public key of the log's function; every evaluation of one log has the same."),
  }),
  errors: {},
  examples: [{ args: { input: 'who reviews T-0001?' } }],
  prepare: () => import('../../vrf/ecvrf.js'),
  run: ({ input }, extra) => {
    // Whoever could ask for a draw beforehand would choose among rounds.
    if (input.startsWith(DRAW_START)) throw wrongArgument('input', 'begins as the input of a draw; say it otherwise');
    const { log } = writing(extra);
    const key = (extra.prepared as Ecvrf).vrfKeyOf(log.vrfSeed());
    const { output, proof } = key.prove(new TextEncoder().encode(input));
    const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
    return { output_hex: hex(output), proof_hex: hex(proof), public_key: hex(key.publicKey) };
  },
});
