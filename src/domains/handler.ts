// What a domain's handlers find in their extra, made sure of once.
import type { HandlerExtra } from '../call/context.js';
import { ColibriError } from '../errors.js';
import type { Evidence } from '../ledger/evidence.js';
import type { ReadTx, Tx } from '../store/store.js';

export interface Writing {
  readonly tx: Tx;
  readonly evidence: Evidence;
  /** The number of this call in the ledger. */
  readonly callNo: number;
  readonly log: string;
  /** The process that serves it. */
  readonly instance: string;
  readonly now: string;
}

/** A writing tool without store and ledger has nowhere to put its evidence. */
export const writing = ({ tx, evidence, call, now }: HandlerExtra): Writing => {
  const { sequenceNo, instance } = call;
  if (tx === undefined || evidence === undefined || sequenceNo === undefined || instance === undefined) {
    throw new ColibriError('STORE_UNAVAILABLE', 'This tool needs the store and its ledger.');
  }
  return { tx, evidence, callNo: sequenceNo, log: evidence.log, instance, now: now() };
};

export const reading = ({ tx, now }: HandlerExtra): { readonly tx: ReadTx; readonly now: string } => {
  if (tx === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'This tool needs the store.');
  return { tx, now: now() };
};
