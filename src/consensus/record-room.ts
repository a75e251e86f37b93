// How much of what a bundle changes fits into the record of one call. What does not fit is left for the next call with the same bundle.
import { agentNode } from '../proof/credits.js';
import { CONSENSUS_LIMITS } from './limits.js';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;

/** The bytes that a record needs to name a changed round. */
const ROUND_BYTES = bytesOf({ type: 'round', id: '9'.repeat(19), rev: 1e6, digest: 'd'.repeat(64) });

export class RecordRoom {
  #used = 0;
  #isFull = false;

  /** Whether something was left because it did not fit. */
  get isFull(): boolean {
    return this.#isFull;
  }

  #take(bytes: number): boolean {
    this.#isFull ||= this.#used > 0 && this.#used + bytes > CONSENSUS_LIMITS.changesBytes;
    if (!this.#isFull) this.#used += bytes;
    return !this.#isFull;
  }

  /** Takes room for one more statement; false if there is none. The first one always fits. */
  takeStatement(voter: unknown): boolean {
    return this.#take(
      bytesOf({ type: 'cosigned', id: 'd'.repeat(64), rev: 1, digest: 'd'.repeat(64) }) + creditBytes(voter),
    );
  }

  /** Takes room for a round, and for what its decision would be for these names. */
  takeRound(names: readonly string[] = []): boolean {
    return this.#take(names.reduce((sum, name) => sum + creditBytes(name), ROUND_BYTES));
  }
}

const creditBytes = (voter: unknown): number =>
  typeof voter === 'string' ? bytesOf({ node: agentNode(voter), why: 'equivocated' }) : 0;
