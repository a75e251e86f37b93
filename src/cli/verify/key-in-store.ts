// The key of a log that a proof file names, from the store at hand.
import { existsSync } from 'node:fs';
import { logIdIn } from '../../proof/checkpoint.js';
import type { Verifier } from '../../proof/verifier.js';
import { readingStore } from '../access.js';
import { findStore } from '../place.js';
import type { PlaceOptions } from '../place-options.js';
import { logInfo } from '../records/record-repository.js';
import { verifierOfRow } from './vkey.js';

/** Only a help: the key of a log in the store at hand, if it is the one that the log is named after. */
export const keyInStore = async (options: PlaceOptions, origin: string): Promise<Verifier | undefined> => {
  const log = logIdIn(origin);
  if (log === undefined) return undefined;
  try {
    const at = findStore(options);
    if (!existsSync(at.path)) return undefined;
    const row = await readingStore(at, (store) => store.read((tx) => logInfo(tx, log)));
    return row && verifierOfRow(log, row.public_key);
  } catch {
    return undefined; // a proof is judged without a store
  }
};
