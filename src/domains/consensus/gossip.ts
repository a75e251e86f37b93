// The tool consensus_gossip: takes over what another store told, and says what this one knows. Stores that exchange bundles end with equal sets.
import * as z from 'zod';
import { arg, bounded, defineTool } from '../../call/define-tool.js';
import { readBundle, writeBundle } from '../../consensus/bundle.js';
import { forkedHeard, heardSince } from '../../consensus/heard-repository.js';
import { CONSENSUS_LIMITS } from '../../consensus/limits.js';
import { RecordRoom } from '../../consensus/record-room.js';
import { lockRound } from '../../consensus/round-repository.js';
import { recordDecision } from '../../consensus/settle.js';
import { readStatement, type SignedStatement } from '../../consensus/signed.js';
import { voterByKey } from '../../consensus/voter-repository.js';
import { storeIdOf } from '../../ledger/identity.js';
import { countShape, pattern, textField, time } from '../shapes.js';
import { badBundle, badKey } from './errors.js';
import { noteCosignatures, roundEffects } from './heard-effects.js';
import { type ConsensusCall, type ConsensusNeeds, consensusCall, type Drawing } from './needs.js';
import { roundIdShape } from './shapes.js';

const isTime = (value: string): boolean => !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;

const input = z.strictObject({
  bundle: arg(
    z.string().max(CONSENSUS_LIMITS.bundleBytes).optional(),
    'What another store told: the `bundle` of its answer.',
  ),
  since: arg(
    bounded(z.string().refine(isTime, { error: 'not a time; use the form 2026-08-01T12:00:00.000Z' }), {
      ...{ form: '`2026-08-01T12:00:00.000Z`', takes: ['2026-08-01T12:00:00.000Z'] },
      refuses: ['', 'yesterday', '2026-08-01', '2026-02-30T00:00:00.000Z'],
    }).optional(),
    'Only what this store learned since then goes into the bundle; everything if left out.',
  ),
});

interface Prepared {
  readonly statements: readonly SignedStatement[];
  readonly refused: number;
  readonly drawing: Drawing;
  readonly hear: typeof import('../../consensus/hear.js');
  readonly tell: typeof import('../../consensus/tell.js');
}

/** Signatures are checked before the transaction: other processes wait for it. */
const prepare = async ({ bundle }: z.infer<typeof input>): Promise<Prepared> => {
  const read = bundle === undefined ? { statements: [], refused: 0 } : readBundle(bundle);
  if ('problem' in read) throw badBundle(read.problem);
  const [drawing, hear, tell] = await Promise.all([
    import('../../consensus/drawing.js'),
    import('../../consensus/hear.js'),
    import('../../consensus/tell.js'),
  ]);
  return { statements: read.statements, refused: read.refused, drawing, hear, tell };
};

/** Excludes other calls that look at these rounds; always in the same order. */
const lockAll = async ({ tx }: ConsensusCall, statements: readonly SignedStatement[]): Promise<void> => {
  await tx.lock?.('gossip');
  const ids = new Set(statements.map(({ body }) => body.round_id).filter((id) => typeof id === 'string'));
  for (const id of [...ids].sort()) await lockRound(tx, id);
};

/** What this process adds of its own: checkpoints of its log, and its signature under those of others. */
const addOwn = async ({ tx, work }: ConsensusCall, { tell }: Prepared, needs: ConsensusNeeds, room: RecordRoom) => {
  await tell.publishCheckpoint(work);
  await tell.contradictForks(work);
  const key = needs.voterKey();
  if (key === undefined) return;
  if ('problem' in key) throw badKey(key.problem);
  await tell.cosignOthers(work, room, key, (await voterByKey(tx, key.publicKey))?.name ?? null);
};

export const consensusGossip = defineTool({
  name: 'consensus_gossip',
  title: 'Gossip',
  description: 'Exchange rounds and votes with another store, as signed text.',
  when: 'When agents of several stores decide together: carry the bundle of one to the other, and back. Any order and any number of times gives the same.',
  effect: 'write',
  keepsTexts: ['bundle'], // its statements are kept in tables of their own
  input,
  output: z.strictObject({
    events_sent: countShape.describe('How many signed statements the bundle of this answer has.'),
    events_received: countShape.describe('How many the given bundle had.'),
    events_new: countShape,
    events_refused: countShape.describe(
      'Those with a wrong signature, of another form, or about rounds that are not known.',
    ),
    events_left: countShape.describe(
      'More than the record of one call can name: give the same bundle again until this is 0.',
    ),
    equivocations: z.array(z.strictObject({ round_id: roundIdShape, voter: textField })),
    forks: z
      .array(z.strictObject({ log: pattern(/^[0-9a-f]{32}$/, 'log id'), size: countShape }))
      .describe('Logs whose key signed two histories.'),
    bundle: textField,
    next_since: time.nullable().describe('What did not fit: call again with this `since`.'),
    store: pattern(/^[0-9a-f]{32}$/, 'store id'),
  }),
  errors: {
    INVALID_BUNDLE: { when: 'the text is no bundle or was changed', details: { reason: textField } },
    INVALID_KEY: { when: 'COLIBRI_VOTER_KEY names a key that cannot be used', details: { reason: textField } },
  },
  examples: [{ args: {} }, { args: { bundle: '{}' }, error: 'INVALID_BUNDLE' }],
  prepare,
  run: async ({ since = '' }, extra, needs: ConsensusNeeds) => {
    const prepared = extra.prepared as Prepared;
    const { statements } = prepared;
    const call = await consensusCall(extra);
    const { tx, log, now, instance, work } = call;
    await lockAll(call, statements);
    const store = await storeIdOf(tx);
    const room = new RecordRoom();
    const { fresh, refused, left } = await prepared.hear.hearAll({ work, store, room }, statements);
    const effects = await roundEffects(call, fresh, { store, gates: needs.gates, drawing: prepared.drawing });
    if (effects.credits.length > 0) extra.note({ credits: effects.credits });
    for (const { round_id, due } of effects.decisions)
      extra.follow((inTx) => recordDecision(inTx, { log, at: now, instance }, round_id, due));
    if (effects.decisions.length > 0) extra.afterCommit(extra.signSoon);
    await addOwn(call, prepared, needs, room);
    const ours = (await heardSince(tx, now))
      .map(({ statement }) => readStatement(statement))
      .filter((one) => one !== undefined);
    const behind = await noteCosignatures(work, [...statements, ...ours], { witnesses: needs.witnesses, room });
    const told = await prepared.tell.statementsSince(tx, since);
    return {
      ...{ events_sent: told.texts.length, events_received: statements.length + prepared.refused },
      ...{ events_new: fresh.length, events_refused: refused + prepared.refused, events_left: left + behind },
      equivocations: effects.found.slice(0, CONSENSUS_LIMITS.shownFindings),
      forks: (await forkedHeard(tx)).slice(0, CONSENSUS_LIMITS.shownFindings),
      ...{ bundle: writeBundle(store, told.texts, log), next_since: told.next, store },
    };
  },
});
