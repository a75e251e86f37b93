// The public entry point `colibri/proof`: checks what Colibri signed, wherever ECMAScript runs. No file in proof/ imports anything outside
// of it.
export type { Bytes } from './bytes.js';
export type { Checkpoint } from './checkpoint.js';
export type { ConsistencyVerdict } from './consistency-check.js';
export type { ProofCrypto, SignatureClaim } from './crypto.js';
export type { Sha256 } from './hashes.js';
export type { NoteOptions } from './note.js';
export type { NotHeld, ProofVerdict } from './proof-check.js';
export type { ProofExtra, ProofFile, ThoughtProof } from './proof-file.js';
export { RECEIPT_KEY, type Receipt } from './records.js';
export { type CheckpointVerdict, verifyCheckpoint, verifyConsistency, verifyProof } from './verify-log.js';
export { type ReceiptVerdict, verifyReceipt } from './verify-receipt.js';
