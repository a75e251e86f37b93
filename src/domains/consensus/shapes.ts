// The arguments and results that the tools of consensus share.
import * as z from 'zod';
import { arg, bounded } from '../../call/define-tool.js';
import { LEVELS } from '../../consensus/standing.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { countShape, hash, pattern, textField, time } from '../shapes.js';

// The forms of arguments are refinements: a pattern or a bound would be sent to every client, once for each argument.

const named = (value: string): boolean => value !== '' && value.length <= DOMAIN_LIMITS.nameChars;
export const voterField = bounded(
  z.string().refine(named, { error: `empty or longer than ${DOMAIN_LIMITS.nameChars} characters` }),
  { unit: 'characters', least: 1, most: DOMAIN_LIMITS.nameChars },
);
export const roundIdField = arg(voterField, 'The number of the round, as `consensus_propose` gave it.');
export const roundIdShape = pattern(/^\d{1,19}$/, 'round id');
export const digestField = bounded(
  z.string().refine((value) => /^[0-9a-f]{64}$/.test(value), { error: 'not 64 hex digits' }),
  { form: '64 hex digits', takes: ['0'.repeat(64)], refuses: ['', '0', 'A'.repeat(64)] },
);
/** A whole number from 1 to a bound. */
export const fromOneTo = (most: number) =>
  bounded(
    z.int().refine((value) => value >= 1 && value <= most, { error: `not from 1 to ${most}` }),
    { unit: '', least: 1, most },
  );
export const levelShape = z
  .enum(LEVELS)
  .describe(
    'PENDING; SOFT: a vote; QUORUM: decided; HARD: a signed checkpoint covers the decision; ABSOLUTE: somebody else signed one that does. It only rises.',
  );
export const statusShape = z.enum(['drawing', 'open', 'decided', 'expired']);
export const tallyShape = z
  .strictObject({ approve: countShape, reject: countShape, abstain: countShape, equivocated: countShape })
  .describe('Votes that count, and how many voters voted twice and therefore do not. As it was decided, once it is.')
  .meta({ named: 'Tally' });
export const resultShape = z.enum(['approve', 'reject']).nullable();

export const rulesShape = {
  root: hash.describe('The digest of the statement.'),
  rule_version: hash.describe('The digest of the rules in force.'),
  need: countShape.describe('How many equal votes decide.'),
  expires_at: time,
};

export const drawShape = z
  .strictObject({
    pending: z.boolean().describe('Whether the checkpoint that decides the draw is still to be signed.'),
    from: z.array(textField),
    count: countShape,
    of: roundIdShape.optional().describe('The earlier round about the same statement whose draw this is.'),
    output: textField.optional(),
    proof: textField.optional(),
    vrf_key: hash.optional(),
    checkpoint: textField.optional().describe('The signed note whose root is part of the input.'),
  })
  .optional();

export const repeatsShape = z
  .array(roundIdShape)
  .describe(
    'Other rounds about the same statement, the newest first: somebody may have asked until the answer pleased.',
  );

export const repeatsTotal = countShape.describe('How many other rounds about the same statement there are in all.');

/** A text of at most so many bytes as JSON, which says something. */
export const shortText = (bytes: number) =>
  bounded(
    z
      .string()
      .refine((words) => Buffer.byteLength(JSON.stringify(words)) - 2 <= bytes, {
        error: `longer than ${bytes} bytes as JSON; shorten it`,
      })
      .refine((words) => words.trim() !== '', { error: 'empty or only white space; say something' })
      .meta({ maxLength: bytes }),
    { unit: 'bytes', least: 1, most: bytes },
  );

/** A list of names, at least one and at most so many. */
export const namesUpTo = (most: number) =>
  z.array(voterField).refine((names) => names.length >= 1 && names.length <= most, {
    error: `not from 1 to ${most} names`,
  });
