// The tool reputation_get: the scores of one agent or server, with what they are computed from.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import { REPUTATION_DOMAINS } from '../../proof/credits.js';
import { daysOfNode } from './repository.js';
import {
  basisOf,
  basisShape,
  domainField,
  epochAsked,
  epochField,
  nodeField,
  reputationRow,
  rowShape,
} from './shapes.js';

export const reputationGet = defineTool({
  name: 'reputation_get',
  title: 'Reputation',
  description: 'See how reliably an agent or server worked, from the ledger. Use it before you rely on one.',
  when: 'Before you hand work to an agent or rely on a server. The scores come from the ledger and from nothing else; a node that nothing is known of has no rows.',
  effect: 'read',
  input: z.strictObject({
    node_id: nodeField,
    domain: arg(domainField.optional(), 'One domain; all if left out.'),
    current_epoch: epochField,
  }),
  output: z.strictObject({
    ...basisShape,
    row: rowShape.nullable().optional().describe('With `domain`: its row, or null if nothing is known.'),
    rows: z
      .array(rowShape)
      .optional()
      .describe('Without `domain`: one row for each domain of which something is known.'),
  }),
  errors: {},
  examples: [{ args: { node_id: 'ada' } }, { args: { node_id: 'ada', domain: 'execution' } }],
  run: async ({ node_id, domain, current_epoch }, extra) => {
    const { tx, now } = reading(extra);
    const epoch = epochAsked(current_epoch, now);
    const known = await daysOfNode(tx, node_id, epoch);
    const basis = await basisOf(tx, epoch);
    const rows = REPUTATION_DOMAINS.flatMap((one) => {
      const days = known.get(one);
      return days === undefined ? [] : [reputationRow(node_id, one, days, epoch)];
    });
    return domain === undefined
      ? { ...basis, rows }
      : { ...basis, row: rows.find((row) => row.domain === domain) ?? null };
  },
});
