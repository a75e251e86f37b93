// The tool reputation_check_gates: what the scores of a node permit, with the reasons.
import * as z from 'zod';
import { defineTool, reading } from '../../call/define-tool.js';
import { countShape, flagField, from1, textField } from '../shapes.js';
import { gatesOf } from './gates.js';
import { basisOf, basisShape, epochAsked, epochField, nodeField, scoresOf } from './shapes.js';

export const reputationCheckGates = defineTool({
  name: 'reputation_check_gates',
  title: 'Check gates',
  description: 'See what the scores of an agent permit, with the reasons.',
  when: 'To see what the scores of a node permit. The gates bind only where `COLIBRI_GATES` is on; `rate_limit_bonus` and `stake_discount` are for information.',
  effect: 'read',
  input: z.strictObject({ node_id: nodeField, current_epoch: epochField }),
  output: z.strictObject({
    ...basisShape,
    node_id: textField,
    max_parallel_tasks: from1,
    rate_limit_bonus: countShape.describe('Basis points; for information.'),
    stake_discount: countShape.describe('Basis points; for information.'),
    can_arbitrate: flagField,
    can_govern: flagField,
    reasons: z.strictObject({ max_parallel_tasks: textField, can_arbitrate: textField, can_govern: textField }),
    binding: flagField.describe('Whether the gates bind in this process.'),
  }),
  errors: {},
  examples: [{ args: { node_id: 'ada' } }],
  run: async ({ node_id, current_epoch }, extra, { gates }: { readonly gates: boolean }) => {
    const { tx, now } = reading(extra);
    const epoch = epochAsked(current_epoch, now);
    const scores = await scoresOf(tx, node_id, epoch);
    return { ...(await basisOf(tx, epoch)), node_id, ...gatesOf(scores), binding: gates };
  },
});
