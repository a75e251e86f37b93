// Draws voters from a pool with the output of a verifiable random function, so that anybody can repeat the draw. Pure.
import { hash } from 'node:crypto';
import { canonicalJson } from '../proof/canonical-json.js';
import type { DrawRule } from './rules.js';

/** The input of the function: what was fixed when the round was proposed, and a checkpoint that did not exist then. */
export const drawInput = (round_id: string, root: string, checkpoint: string): string =>
  canonicalJson({ checkpoint, root, round_id });

/** What the input of every draw begins with, and no other text that a log evaluates. */
export const DRAW_START = '{"checkpoint":';

/** The first `count` names of the pool in the order of SHA-256(seed ‖ name). `seed`: the output of the function, in hex. */
export const drawnFrom = ({ from, count }: DrawRule, seed: string): readonly string[] => {
  const bytes = Buffer.from(seed, 'hex');
  const places = from.map((name) => ({ name, place: hash('sha256', Buffer.concat([bytes, Buffer.from(name)])) }));
  places.sort((a, b) => (a.place < b.place ? -1 : 1));
  return places.slice(0, count).map(({ name }) => name);
};
