// The arguments and results that the tools of reputation share, and how a node's row is made from its days.
import * as z from 'zod';
import { arg, bounded } from '../../call/define-tool.js';
import { logStandings } from '../../ledger/identity.js';
import { epochOf, REPUTATION_DOMAINS, type ReputationDomain } from '../../proof/credits.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { countShape, hash, pattern, textField } from '../shapes.js';
import { type DomainDays, daysOfNode } from './repository.js';
import { FORMULA, scoreOf } from './score.js';

// The bounds are refinements: in the schema they would be sent to every client, once for each tool.
export const nodeField = arg(
  bounded(
    z
      .string()
      .refine((name) => name !== '' && name.length <= DOMAIN_LIMITS.nodeChars, {
        error: `empty or longer than ${DOMAIN_LIMITS.nodeChars} characters`,
      })
      .describe('agent or server:<name>'),
    { unit: 'characters', least: 1, most: DOMAIN_LIMITS.nodeChars },
  ),
  'The agent or server.',
);
export const domainField = z.enum(REPUTATION_DOMAINS);
export const epochField = arg(
  bounded(
    z.int().refine((epoch) => epoch >= 0 && epoch <= DOMAIN_LIMITS.latestEpoch, {
      error: `not from 0 to ${DOMAIN_LIMITS.latestEpoch}`,
    }),
    { unit: '', least: 0, most: DOMAIN_LIMITS.latestEpoch },
  ).optional(),
  'The UTC day, counted from 1970, for which scores are computed; today if left out.',
);

export const rowShape = z
  .strictObject({
    node_id: textField,
    domain: domainField,
    score: countShape.describe("0 to 10,000: Wilson's lower bound of the share of successes."),
    scar_bps: z.literal(0),
    ban_until_epoch: z.null(),
    last_activity_epoch: countShape,
    successes: countShape,
    failures: countShape,
  })
  .meta({ named: 'Reputation' });
export type ReputationRow = z.infer<typeof rowShape>;

/** What every answer says besides its rows, so that anybody recomputes them from an export. */
export const basisShape = {
  identity: z.literal('claimed').describe('Names of agents are what they call themselves.'),
  formula: z.literal(FORMULA),
  epoch: countShape.describe('The UTC day for which the scores hold.'),
  logs: z
    .array(
      z.strictObject({
        log: pattern(/^[0-9a-f]{32}$/, 'log id'),
        from_seq: countShape,
        to_seq: countShape,
        root: hash,
      }),
    )
    .describe('The records that were counted: of each log from the first to the last, and the Merkle root over them.'),
};

export const basisOf = async (tx: ReadTx, epoch: number) => ({
  identity: 'claimed' as const,
  formula: FORMULA as typeof FORMULA,
  epoch,
  logs: (await logStandings(tx))
    .filter(({ size }) => size > 0)
    .slice(-DOMAIN_LIMITS.shownLogs)
    .map(({ log, size, root }) => ({ log, from_seq: 0, to_seq: size - 1, root })),
});

export const epochAsked = (given: number | undefined, now: string): number => given ?? epochOf(now);

export const reputationRow = (
  node_id: string,
  domain: ReputationDomain,
  { days, successes, failures, last }: DomainDays,
  epoch: number,
): ReputationRow => ({
  ...{ node_id, domain, score: scoreOf(days, epoch), scar_bps: 0, ban_until_epoch: null },
  ...{ last_activity_epoch: last, successes, failures },
});

/** The score of a node in each domain; 0 where nothing is known of it. */
export const scoresOf = async (
  tx: ReadTx,
  node: string,
  epoch: number,
): Promise<Readonly<Record<ReputationDomain, number>>> => {
  const known = await daysOfNode(tx, node, epoch);
  const scores = REPUTATION_DOMAINS.map((domain) => [domain, scoreOf(known.get(domain)?.days ?? [], epoch)]);
  return Object.fromEntries(scores) as Record<ReputationDomain, number>;
};
