// Moves a store: the logs of one store, copied as they are, are adopted by another one, which has an id and a log of its own; the store they
// came from ends with a record that says where they went. Equal roots on both sides show that nothing was lost.
import { ColibriError } from '../../errors.js';
import { parsedObject } from '../../proof/canonical-json.js';
import type { LogStanding } from '../../proof/records.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { leaveOriginal } from '../accept.js';
import { adoptionsIn } from '../binding.js';
import { inParts, logStandings, storeIdOf } from '../identity.js';
import { withSpareKey } from '../keys.js';
import { append } from '../ledger.js';
import type { OpenLogOptions } from '../open.js';
import { ownLogOf } from '../own-log.js';

/** A store as it is moved: its id, and the size and root of each of its logs. */
export interface MovedStore {
  readonly storeId: string;
  readonly logs: readonly LogStanding[];
}

export const movedStoreOf = async (tx: ReadTx): Promise<MovedStore> => ({
  storeId: await storeIdOf(tx),
  logs: await logStandings(tx),
});

const standing = ({ log, size, root }: LogStanding): string => `${log} ${size} ${root}`;

/** Whether both have the same logs with the same sizes and roots. */
export const areAlike = (one: readonly LogStanding[], other: readonly LogStanding[]): boolean =>
  one.length === other.length && one.every((log, i) => standing(log) === standing(other[i] ?? log));

/** The logs that this store has adopted, each as it was, and the id of the store from which they came; undefined if there are none. */
export const adoptedFrom = async (tx: ReadTx, from: string): Promise<readonly LogStanding[] | undefined> => {
  const records = (await adoptionsIn(tx)).map(({ body }) => parsedObject(body)).filter((body) => body?.from === from);
  return records.length === 0 ? undefined : records.flatMap((body) => body?.logs as unknown as LogStanding[]);
};

/**
 * Gives the target its own id and a log of this node, whose first records adopt the copied logs. Throws if the copies are not like the
 * originals. Returns the id of the new log; the caller must sign it.
 */
export const adoptLogs = (options: OpenLogOptions, source: MovedStore): Promise<string> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        if (!areAlike(await logStandings(tx), source.logs)) throw unlike();
        const log = await leaveOriginal(tx, options, spare);
        const [at, from] = [options.now(), source.storeId];
        await append(
          tx,
          ownLogOf(options.keys, log),
          inParts(source.logs).map((logs) => ({ at, record: { kind: 'adopts', from, logs } })),
        );
        return log;
      },
      { sync: true },
    ),
  );

const unlike = (): ColibriError =>
  new ColibriError('STORE_CORRUPT', 'the copied logs have other sizes or roots than the original ones', {
    remedy: 'Empty the target and move the store again. The original was not changed.',
  });

export interface Departure {
  readonly log: string;
  readonly to: string;
  /** The place of the target, without secrets. */
  readonly place: string;
  readonly at: string;
}

/** Appends the last record of a store that was moved. Throws if the store has grown since it was copied. */
export const recordDeparture = async (
  tx: Tx,
  keys: OpenLogOptions['keys'],
  { log, to, place, at }: Departure,
  copied: readonly LogStanding[],
): Promise<void> => {
  if (!areAlike(await logStandings(tx), copied)) {
    throw new ColibriError('STORE_BUSY', 'The store has grown while it was copied.', {
      remedy: 'Stop the processes that use it, empty the target, and move it again.',
    });
  }
  await append(tx, ownLogOf(keys, log), [{ at, record: { kind: 'moved', to, place } }]);
};
