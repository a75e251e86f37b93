// The tool consensus_finality: how far a round has come, and the evidence for it. Draws its voters, or lets its time run out, if that is due.
import * as z from 'zod';
import { defineTool } from '../../call/define-tool.js';
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import {
  lockRound,
  proposalIn,
  type RoundRow,
  roundById,
  roundsAbout,
  votersOf,
} from '../../consensus/round-repository.js';
import { settleRound } from '../../consensus/settle.js';
import { bodyIn } from '../../consensus/signed.js';
import { roundStanding } from '../../consensus/standing.js';
import { VOTES } from '../../consensus/tally.js';
import type { VoteRow } from '../../consensus/vote-repository.js';
import { storeIdOf } from '../../ledger/identity.js';
import type { ReadTx } from '../../store/store.js';
import { fitPage } from '../page.js';
import { countShape, flagField, hash, next, pattern, textField, time } from '../shapes.js';
import { noRound } from './errors.js';
import { type ConsensusNeeds, consensusCall, type Drawing, drawWith, heededVoters, rulesShown } from './needs.js';
import * as shapes from './shapes.js';

const logShape = pattern(/^[0-9a-f]{32}$/, 'log id');

const evidenceShape = z.strictObject({
  home: pattern(/^[0-9a-f]{32}$/, 'store id').describe('The store that decides the round.'),
  home_identity: z
    .enum(['own', 'claimed'])
    .describe('claimed: whoever signed the proposal says that this is its store. What is proved is `log`.'),
  is_home: flagField,
  log: logShape.describe('The log of the proposal.'),
  proposed_at: time,
  decided: z
    .strictObject({ log: logShape, seq: countShape, at: time })
    .nullable()
    .describe('The record of the decision.'),
  cosigned_by: hash.nullable(),
  votes: z
    .array(
      z.strictObject({
        vote_id: hash,
        voter: textField,
        vote: z.enum(VOTES),
        form: z.enum(['vote', 'equivocation']),
        identity: z.enum(['claimed', 'enrolled']),
        counts: flagField,
      }),
    )
    .describe('What was signed; consensus_gossip gives the signed statements themselves.'),
  left_off: countShape.describe('How many of these are not shown.'),
});

/** What an answer says of a draw; undefined where the voters are not drawn. */
const drawShown = (row: RoundRow) => {
  const { rules } = proposalIn(row);
  if (rules.draw === null) return undefined;
  if (row.drawing === null) return { pending: row.state === 'drawing', ...rules.draw };
  const { output, proof, vrf_key, checkpoint, of } = bodyIn(row.drawing) as Readonly<Record<string, string>>;
  return { pending: false, ...rules.draw, output, proof, vrf_key, checkpoint, ...(of !== undefined && { of }) };
};

const voteShown = ({ vote_id, voter, vote, form, identity }: VoteRow, counted: ReadonlySet<string>) => ({
  ...{ vote_id, voter, vote, form, identity },
  counts: counted.has(vote_id),
});

const repeatsOf = async (tx: ReadTx, { root, round_id }: RoundRow) => {
  const others = (await roundsAbout(tx, root)).map((one) => one.round_id).filter((id) => id !== round_id);
  return { repeats: others.slice(0, CONSENSUS_LIMITS.shownRepeats), repeats_total: others.length };
};

const decidedPlace = ({ decision, decided_log, decided_seq }: RoundRow) =>
  decision === null || decided_log === null || decided_seq === null
    ? null
    : { log: decided_log, seq: decided_seq, at: String(bodyIn(decision).at) };

export const consensusFinality = defineTool({
  name: 'consensus_finality',
  title: 'Read a round',
  description: 'See what a round is about, how it stands, and how firmly it is decided.',
  when: 'Before you vote, to read the statement; and before you act on a decision, to see its level. Call it again: a draw and the levels above QUORUM wait for the next signature of the log.',
  effect: 'write', // it draws the voters, or lets the time run out, if that is due
  input: z.strictObject({ round_id: shapes.roundIdField }),
  output: z.strictObject({
    round_id: shapes.roundIdShape,
    status: shapes.statusShape,
    level: shapes.levelShape,
    result: shapes.resultShape,
    tally: shapes.tallyShape,
    contested: flagField.describe(
      'Whether a voter of the decided round was found to have voted twice. The decision stays.',
    ),
    statement: textField,
    task_id: textField.optional(),
    action: z.strictObject({ server: textField, tool: textField, exact: hash, definition: hash }).optional(),
    requester: textField.nullable(),
    ...shapes.rulesShape,
    voters: z.array(textField).describe('Empty: any name, or nobody yet.'),
    draw: shapes.drawShape,
    repeats: shapes.repeatsShape,
    repeats_total: shapes.repeatsTotal,
    evidence: evidenceShape,
  }),
  errors: { ROUND_NOT_FOUND: { when: 'there is no such round', details: { round_id: textField, next } } },
  examples: [
    { args: { round_id: '$consensus_propose.round_id' } },
    { args: { round_id: '1' }, error: 'ROUND_NOT_FOUND' },
  ],
  prepare: () => import('../../consensus/drawing.js'),
  run: async ({ round_id }, extra, { gates }: Pick<ConsensusNeeds, 'gates'>) => {
    const call = await consensusCall(extra);
    const { tx, now, work } = call;
    await lockRound(tx, round_id);
    const found = await roundById(tx, round_id);
    if (found === undefined) throw noRound(round_id);
    const is_home = found.home === (await storeIdOf(tx));
    const settled = is_home
      ? await settleRound(work, found, drawWith(extra.prepared as Drawing, call))
      : { row: found, credits: [] };
    const { row, credits } = settled;
    if (credits.length > 0) extra.note({ credits });
    if (row.state === 'drawing' || row.state === 'decided') extra.afterCommit(extra.signSoon);
    const heeded = await heededVoters(tx, row, { gates, now });
    const { votes, counted, ...standing } = await roundStanding(tx, row, heeded);
    const { statement, log, at } = proposalIn(row);
    const { rules: _rules, ...rules } = rulesShown(row);
    const data = {
      ...{ round_id, status: row.state, ...standing, ...statement, requester: row.requester, ...rules },
      ...{ voters: votersOf(row) ?? [], draw: drawShown(row), ...(await repeatsOf(tx, row)) },
    };
    const home_identity = is_home ? ('own' as const) : ('claimed' as const);
    const place = { home: row.home, home_identity, is_home, log, proposed_at: at, decided: decidedPlace(row) };
    const spent = Buffer.byteLength(JSON.stringify([data, place]));
    const { rows } = fitPage(
      votes.map((vote) => voteShown(vote, counted)),
      spent,
    );
    const evidence = { ...place, cosigned_by: row.cosigned_by, votes: rows, left_off: votes.length - rows.length };
    return { ...data, evidence };
  },
});
