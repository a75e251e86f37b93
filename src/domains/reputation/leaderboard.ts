// The tool reputation_leaderboard: the nodes of one domain, the highest score first.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { countShape, limitMeaning } from '../shapes.js';
import { daysOfDomain } from './repository.js';
import {
  basisOf,
  basisShape,
  domainField,
  epochAsked,
  epochField,
  type ReputationRow,
  reputationRow,
  rowShape,
} from './shapes.js';

/** The highest score first; of equal scores the name that sorts first by code units. */
const byScore = (a: ReputationRow, b: ReputationRow): number => b.score - a.score || (a.node_id < b.node_id ? -1 : 1);

export const reputationLeaderboard = defineTool({
  name: 'reputation_leaderboard',
  title: 'Leaderboard',
  description: 'See which agents or servers are the most reliable in a domain.',
  when: 'To choose whom to ask. The highest score first; of equal scores the name that sorts first.',
  effect: 'read',
  input: z.strictObject({
    domain: arg(domainField, 'The domain.'),
    limit: arg(z.int().min(1).max(DOMAIN_LIMITS.leaderRows).default(DOMAIN_LIMITS.leaderUsualRows), limitMeaning),
    current_epoch: epochField,
  }),
  output: z.strictObject({
    ...basisShape,
    rows: z.array(rowShape),
    left_off: countShape.describe('How many nodes of the domain are not shown.'),
  }),
  errors: {},
  examples: [{ args: { domain: 'execution' } }],
  run: async ({ domain, limit, current_epoch }, extra) => {
    const { tx, now } = reading(extra);
    const epoch = epochAsked(current_epoch, now);
    const known = await daysOfDomain(tx, domain);
    const basis = await basisOf(tx, epoch);
    const all = [...known].map(([node, days]) => reputationRow(node, domain, days, epoch)).sort(byScore);
    const { rows } = fitPage(all.slice(0, limit), Buffer.byteLength(JSON.stringify(basis)));
    return { ...basis, rows, left_off: all.length - rows.length };
  },
});
