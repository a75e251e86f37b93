// Looks up, in the local store, the key of the log that a proof file names.
import { logIdIn } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';
import { readingStore } from '../access.js';
import { findStore } from '../place.js';
import type { PlaceOptions } from '../place-options.js';
import { logInfo } from '../records/record-repository.js';
import { verifierOfRow } from './vkey.js';

/** The public key of a log in the local store; undefined if there is no store or if the log's id is not made from the key. */
export const keyInStore = async (options: PlaceOptions, origin: string): Promise<Verifier | undefined> => {
  const log = logIdIn(origin);
  if (log === undefined) return undefined;
  try {
    const at = findStore(options);
    const row = await readingStore(at, (store) => store.read((tx) => logInfo(tx, log)));
    return row && verifierOfRow(log, row.public_key);
  } catch {
    return undefined; // a proof can be judged without a store
  }
};
