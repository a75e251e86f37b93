// Draws the voters of a round: with the log's verifiable random function, over what was fixed when the round was proposed and the first checkpoint
// that was signed after it. Only a process that has the key of the log can draw; everybody can check it.
import type { OwnLog } from '../ledger/own-log.js';
import type { JsonObject } from '../proof/canonical-json.js';
import { readCheckpoint } from '../proof/checkpoint.js';
import type { ReadTx } from '../store/store.js';
import { vrfKeyOf } from '../vrf/ecvrf.js';
import { firstCheckpointAfter } from './heard-repository.js';
import { drawInput, drawnFrom } from './lots.js';
import { proposalIn, type RoundRow, roundsAbout } from './round-repository.js';
import type { DrawRule } from './rules.js';
import { bodyIn, type SignedStatement, signStatement } from './signed.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** By when it was proposed. */
const oldestFirst = (a: RoundRow, b: RoundRow): number => {
  const [one, other] = [a, b].map((row) => `${proposalIn(row).at} ${row.round_id}`) as [string, string];
  return one < other ? -1 : 1;
};

/**
 * The round whose draw is that of a statement: one that was drawn, else the oldest one that waits for its draw. There is one draw for each
 * statement, whichever of its rounds is asked about first.
 */
const firstDraw = async (tx: ReadTx, row: RoundRow, at: string): Promise<RoundRow> => {
  const drawing = (await roundsAbout(tx, row.root)).filter(
    (one) => one.home === row.home && proposalIn(one).rules.draw !== null,
  );
  const waiting = drawing.filter((one) => one.state === 'drawing' && one.expires_at > at).sort(oldestFirst);
  return drawing.find((one) => one.drawing !== null) ?? waiting[0] ?? row;
};

/** The text of the signed note up to the blank line. */
const noteText = (note: string): string => note.slice(0, note.indexOf('\n\n') + 1);

export interface DrawnVoters {
  readonly voters: readonly string[];
  readonly drawing: SignedStatement;
}

/** Draws the voters of a round of this store that waits for it; undefined while the checkpoint is not there, or for a process of another log. */
export const drawVoters = async (
  tx: ReadTx,
  log: OwnLog,
  row: RoundRow,
  at: string,
): Promise<DrawnVoters | undefined> => {
  const { rules, log: proposedIn } = proposalIn(row);
  if (rules.draw === null || proposedIn !== log.id) return undefined;
  const first = await firstDraw(tx, row, at);
  if (first.drawing !== null) return againAs(bodyIn(first.drawing), row, log, at);
  const drawn = await drawOf(tx, log, first, rules.draw);
  return drawn && againAs(drawn, row, log, at);
};

/** What the draw of a round that waits for it says; undefined while the checkpoint is not there, or if another log has to draw. */
const drawOf = async (tx: ReadTx, log: OwnLog, row: RoundRow, rule: DrawRule): Promise<JsonObject | undefined> => {
  if (proposalIn(row).log !== log.id) return undefined;
  const checkpoint = await firstCheckpointAfter(tx, log.id, row.seq);
  if (checkpoint === undefined) return undefined;
  const root = readCheckpoint(noteText(checkpoint.note))?.root ?? '';
  const key = vrfKeyOf(log.vrfSeed());
  const { output, proof } = key.prove(new TextEncoder().encode(drawInput(row.round_id, row.root, root)));
  return {
    ...{ v: 1, kind: 'draw', round_id: row.round_id, root: row.root, after: { log: log.id, seq: row.seq } },
    ...{ checkpoint: checkpoint.note, output: hex(output), proof: hex(proof), vrf_key: hex(key.publicKey) },
    voters: drawnFrom(rule, hex(output)),
  };
};

/** The draw of a statement as that of one of its rounds: the same output, and so the same voters for the same pool. */
const againAs = (before: JsonObject, { round_id, root }: RoundRow, log: OwnLog, at: string): DrawnVoters => {
  const { of = before.round_id, ...same } = before;
  const body = { ...same, round_id, root, at, ...(of !== round_id && { of }) };
  return { voters: before.voters as string[], drawing: signStatement(body, log) };
};
