// What a domain's handlers find in their extra, made sure of once.
import type { HandlerExtra } from '../context.js';
import { ColibriError } from '../errors.js';
import type { Evidence } from '../ledger/evidence.js';
import type { ReadTx, Tx } from '../store/store.js';

export interface Writing {
  readonly tx: Tx;
  readonly evidence: Evidence;
  /** The number of this call in the ledger. */
  readonly callNo: number;
  readonly now: string;
}

/** A writing tool without store and ledger has nowhere to put its evidence. */
export const writing = ({ tx, evidence, call, now }: HandlerExtra): Writing => {
  if (tx === undefined || evidence === undefined || call.sequenceNo === undefined) {
    throw new ColibriError('STORE_UNAVAILABLE', 'This tool needs the store and its ledger.');
  }
  return { tx, evidence, callNo: call.sequenceNo, now: now() };
};

export const reading = ({ tx, now }: HandlerExtra): { readonly tx: ReadTx; readonly now: string } => {
  if (tx === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'This tool needs the store.');
  return { tx, now: now() };
};
