// Draws the voters of a round: with the log's verifiable random function, over what was fixed when the round was proposed and the first checkpoint
// that was signed after it. Only a process that has the key of the log can draw; everybody can check it.
import type { OwnLog } from '../ledger/own-log.js';
import { readCheckpoint } from '../proof/checkpoint.js';
import type { ReadTx } from '../store/store.js';
import { vrfKeyOf } from '../vrf/ecvrf.js';
import { firstCheckpointAfter } from './heard-repository.js';
import { drawInput, drawnFrom } from './lots.js';
import { proposalIn, type RoundRow, roundsAbout } from './round-repository.js';
import { bodyIn, type SignedStatement, signStatement } from './signed.js';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The draw of an earlier round about the same statement: there is one draw for each statement. */
const earlierDraw = async (tx: ReadTx, row: RoundRow): Promise<RoundRow | undefined> =>
  (await roundsAbout(tx, row.root)).find(
    ({ round_id, home, drawing }) => round_id !== row.round_id && home === row.home && drawing !== null,
  );

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
  const earlier = await earlierDraw(tx, row);
  if (earlier?.drawing != null) return againAs(earlier.drawing, row, log, at);
  const checkpoint = await firstCheckpointAfter(tx, proposedIn, row.seq);
  if (checkpoint === undefined) return undefined;
  const root = readCheckpoint(noteText(checkpoint.note))?.root ?? '';
  const key = vrfKeyOf(log.vrfSeed());
  const { output, proof } = key.prove(new TextEncoder().encode(drawInput(row.round_id, row.root, root)));
  const voters = drawnFrom(rules.draw, hex(output));
  const body = {
    ...{ v: 1, kind: 'draw', round_id: row.round_id, root: row.root, after: { log: proposedIn, seq: row.seq } },
    ...{ checkpoint: checkpoint.note, output: hex(output), proof: hex(proof), vrf_key: hex(key.publicKey), voters, at },
  };
  return { voters, drawing: signStatement(body, log) };
};

/** The draw of a round whose statement had its draw before: the same output, and so the same voters for the same pool. */
const againAs = (drawing: string, { round_id, root }: RoundRow, log: OwnLog, at: string): DrawnVoters => {
  const before = bodyIn(drawing);
  const body = { ...before, round_id, root, at, of: before.of ?? before.round_id };
  return { voters: before.voters as string[], drawing: signStatement(body, log) };
};
