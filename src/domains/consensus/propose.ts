// The tool consensus_propose: puts a statement to the vote.
import * as z from 'zod';
import { arg, defineTool } from '../../call/define-tool.js';
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import {
  insertRound,
  proposalIn,
  type RoundRow,
  type RoundWish,
  roundsAbout,
  votersOf,
} from '../../consensus/round-repository.js';
import { type DrawRule, statementRoot, usualNeed } from '../../consensus/rules.js';
import { isEnrolled, voterByName } from '../../consensus/voter-repository.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { noTask } from '../refusal.js';
import { countShape, hash, missingDetails, next, redacted, textField } from '../shapes.js';
import { findTask } from '../tasks/repository.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { drawnBefore, wrongArgument } from './errors.js';
import { callerOf, consensusCall, rulesShown } from './needs.js';
import * as shapes from './shapes.js';

const isName = (value: string): boolean => value !== '' && value.length <= CONSENSUS_LIMITS.actionChars;

const actionField = z
  .strictObject({ server: z.string(), tool: z.string(), exact: z.string(), definition: z.string() })
  .refine(({ server, tool }) => [server, tool].every(isName), { error: 'server and tool are names' })
  .refine(({ exact, definition }) => [exact, definition].every((value) => hash.safeParse(value).success), {
    error: 'exact and definition are digests of 64 hex digits',
  });

const input = z.strictObject({
  statement: arg(
    shapes.shortText(CONSENSUS_LIMITS.statementBytes),
    'What is to be decided, so that yes and no are clear.',
  ),
  task_id: arg(shapes.voterField.optional(), 'The task that it is about.'),
  action: arg(
    actionField.optional(),
    'The call that it is about, as a refusal with APPROVAL_REQUIRED names it. Then only enrolled voters vote.',
  ),
  voters: arg(
    shapes.namesUpTo(CONSENSUS_LIMITS.voters).optional(),
    'Who may vote; without it and without `draw` any name may. Who proposes never may.',
  ),
  draw: arg(
    z
      .strictObject({ from: shapes.namesUpTo(CONSENSUS_LIMITS.pool), count: shapes.fromOneTo(CONSENSUS_LIMITS.voters) })
      .optional(),
    'Draws `count` voters from a pool, provably, with the first checkpoint that is signed after this call.',
  ),
  need: arg(
    shapes.fromOneTo(CONSENSUS_LIMITS.voters).optional(),
    'How many equal votes decide; by default more than two thirds of the voters.',
  ),
  expires_minutes: arg(
    shapes.fromOneTo(CONSENSUS_LIMITS.mostMinutes).default(CONSENSUS_LIMITS.usualMinutes),
    'How many minutes the round is open.',
  ),
});
type ProposeArgs = z.infer<typeof input>;

/** The names without repetitions and without the one that proposes. */
const othersIn = (names: readonly string[], requester: string | null): readonly string[] =>
  [...new Set(names)].filter((name) => name !== requester);

/** Who votes, and how many equal votes decide. Throws INVALID_PARAMS where that cannot be. */
const electorate = ({ voters, draw, need }: ProposeArgs, requester: string | null) => {
  if (voters !== undefined && draw !== undefined) throw wrongArgument('draw', 'cannot stand beside voters');
  const listed = voters && othersIn(voters, requester);
  if (listed?.length === 0) throw wrongArgument('voters', 'nobody is left who may vote; who proposes may not');
  const pool = draw && { from: othersIn(draw.from, requester), count: draw.count };
  if (pool !== undefined && pool.from.length < pool.count)
    throw wrongArgument('draw.count', `${pool.from.length} may be drawn, without who proposes`);
  const size = pool?.count ?? listed?.length ?? 0;
  const needed = need ?? usualNeed(size);
  if (size > 0 && needed > size) throw wrongArgument('need', `there are only ${size} voters`);
  return { voters: listed, draw: pool, need: needed };
};

const isLike = (one: DrawRule, other: DrawRule): boolean =>
  one.count === other.count && canonicalJson([...one.from].sort()) === canonicalJson([...other.from].sort());

/** Refuses a second draw about one statement: who could draw until the result pleases would choose. */
const assertOneDraw = (draw: DrawRule | undefined, earlier: readonly RoundRow[], home: string): void => {
  if (draw === undefined) return;
  for (const row of earlier) {
    const before = row.home === home ? proposalIn(row).rules.draw : null;
    if (before !== null && !isLike(before, draw)) throw drawnBefore(row.round_id);
  }
};

/** Refuses names that nobody enrolled, in a round about a call. */
const assertEnrolled = async (tx: ReadTx, { action, voters, draw }: ProposeArgs): Promise<void> => {
  if (action === undefined) return;
  for (const name of voters ?? draw?.from ?? [])
    if (!isEnrolled(await voterByName(tx, name))) throw wrongArgument('voters', `${name} is not an enrolled voter`);
};

const MINUTE_MS = 60_000;

export const consensusPropose = defineTool({
  name: 'consensus_propose',
  title: 'Propose',
  description: 'Put a statement to the vote of several agents.',
  when: 'When one agent should not decide alone. Say what is to be decided so that yes and no are clear; name the voters, or have them drawn from a pool.',
  effect: 'write',
  input,
  output: z.strictObject({
    round_id: shapes.roundIdShape,
    status: shapes.statusShape,
    ...shapes.rulesShape,
    voters: z.array(textField).describe('Who may vote. Empty: any name, or, with `draw`, nobody yet.'),
    draw: z.strictObject({ pending: z.boolean(), from: z.array(textField), count: countShape }).optional(),
    repeats: shapes.repeatsShape,
    repeats_total: shapes.repeatsTotal,
    redacted,
  }),
  errors: {
    TASK_NOT_FOUND: { when: 'there is no such task', details: missingDetails },
    DRAWN_ALREADY: {
      when: 'an earlier round about the same statement drew from another pool',
      details: { round_id: shapes.roundIdShape, next },
    },
  },
  examples: [
    { args: { statement: 'The plan for the release is good enough.', voters: ['bob', 'cyd', 'dan'] } },
    { args: { statement: 'T-9999 is done.', task_id: 'T-9999' }, error: 'TASK_NOT_FOUND' },
  ],
  texts: ['statement'],
  run: async (args, extra) => {
    const call = await consensusCall(extra);
    const { tx, now, work, instance } = call;
    const requester = callerOf(extra) ?? null;
    const n = args.task_id === undefined ? undefined : (taskNumber(args.task_id) ?? 0);
    if (n !== undefined && (await findTask(tx, n)) === undefined) throw noTask('TASK_NOT_FOUND', args.task_id ?? '');
    await assertEnrolled(tx, args);
    const who = electorate(args, requester);
    const statement: RoundWish['statement'] = {
      statement: args.statement,
      ...(n !== undefined && { task_id: taskId(n) }),
      ...(args.action !== undefined && { action: args.action }),
    };
    const earlier = await roundsAbout(tx, statementRoot(statement));
    const expires_at = new Date(Date.parse(now) + args.expires_minutes * MINUTE_MS).toISOString();
    const wish = { ...who, statement, expires_at, requester, instance, asker: null };
    const { row, subject } = await insertRound(tx, work.place, wish);
    assertOneDraw(who.draw, earlier, row.home);
    work.add(subject);
    if (who.draw !== undefined) extra.afterCommit(extra.signSoon);
    const { rules, ...shown } = rulesShown(row);
    return {
      ...{ round_id: row.round_id, status: row.state, ...shown, voters: votersOf(row) ?? [] },
      ...(rules.draw !== null && { draw: { pending: true, ...rules.draw } }),
      repeats: earlier.slice(0, CONSENSUS_LIMITS.shownRepeats).map(({ round_id }) => round_id),
      repeats_total: earlier.length,
    };
  },
});
