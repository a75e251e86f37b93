// The vector files, name and bytes. Nothing here depends on the day, the machine or chance.
import { CANONICAL_JSON, CONSISTENT, DIGESTS, INCLUSION, LEAVES, ROOTS } from './basics.js';
import { CHECKPOINTS } from './checkpoints.js';
import { CONSISTENCY, CONSISTENCY_FILE } from './consistency.js';
import { PROOFS, RECORD_PROOF, THOUGHT_PROOF } from './proofs.js';
import { checkpointOf, KEY, LOG_ID } from './sample-log.js';

/** One case a line. */
const lines = (cases: readonly object[]): string => cases.map((one) => `${JSON.stringify(one)}\n`).join('');

const key = { seed: KEY.seed, public_key: KEY.publicKey, log_id: LOG_ID, origin: KEY.name, vkey: KEY.vkey };

export const vectorFiles = (): ReadonlyMap<string, string> =>
  new Map([
    ['key.jsonl', lines([key])],
    ['canonical-json.jsonl', lines(CANONICAL_JSON)],
    ['leaves.jsonl', lines(LEAVES)],
    ['digests.jsonl', lines(DIGESTS)],
    ['roots.jsonl', lines(ROOTS)],
    ['inclusion.jsonl', lines(INCLUSION)],
    ['consistency.jsonl', lines(CONSISTENT)],
    ['checkpoints.jsonl', lines(CHECKPOINTS)],
    ['proof-files.jsonl', lines(PROOFS)],
    ['consistency-files.jsonl', lines(CONSISTENCY)],
    // The valid ones once more as files, to hand to a tool.
    ['log.vkey', `${KEY.vkey}\n`],
    ['13.checkpoint', checkpointOf(13)],
    ['21.checkpoint', checkpointOf(21)],
    ['record.tlog-proof', RECORD_PROOF],
    ['thought.tlog-proof', THOUGHT_PROOF],
    ['13-to-21.consistency', CONSISTENCY_FILE],
  ]);
