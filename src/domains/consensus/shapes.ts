// The arguments and results that the tools of consensus share.
import * as z from 'zod';
import { arg } from '../../call/define-tool.js';
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import { LEVELS } from '../../consensus/standing.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { countShape, hash, pattern, textField, time } from '../shapes.js';

export const roundIdField = arg(
  z.string().min(1).max(DOMAIN_LIMITS.nameChars),
  'The number of the round, as `consensus_propose` gave it.',
);
export const roundIdShape = pattern(/^\d{1,19}$/, 'round id');
export const voterField = z.string().min(1).max(DOMAIN_LIMITS.nameChars);
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
  .describe('Other rounds about the same statement, the newest first: somebody may have asked until the answer pleased.');

/** A text of at most so many bytes as JSON, which says something. */
export const shortText = (bytes: number) =>
  z
    .string()
    .refine((words) => Buffer.byteLength(JSON.stringify(words)) - 2 <= bytes, {
      error: `longer than ${bytes} bytes as JSON; shorten it`,
    })
    .refine((words) => words.trim() !== '', { error: 'empty or only white space; say something' })
    .meta({ maxLength: bytes });

export const namesField = z.array(voterField).max(CONSENSUS_LIMITS.voters);
