// Records that a person accepts a store which contradicts its heads (signed checkpoints outside the store): a log lacks signed records or
// is gone, the store was deleted and begun anew, or it is a copy. Until a person accepts, nothing is appended to the store; only a store
// that was begun anew is written to, and `verify` reports the earlier one.
import { ColibriError } from '../errors.js';
import type { AcceptRecord, LogStanding } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { bindingOf } from './binding.js';
import { inParts, logStandings, renewStoreId } from './identity.js';
import { type LogKey, withSpareKey } from './keys.js';
import { append } from './ledger.js';
import { lostLogs } from './lost-logs.js';
import { claimLog, insertLog, type OpenLogOptions, openLogOf, succeed } from './open.js';
import { ownLogOf } from './own-log.js';

const nothingToAccept = (): ColibriError =>
  new ColibriError('INVALID_PARAMS', 'The store has everything that was signed: there is nothing to accept.');

/** A log has one successor, so the loss of its records cannot be recorded in a second successor. */
const notOurs = (log: string): ColibriError =>
  new ColibriError('STORE_CORRUPT', `log ${log} went back, and a log that was never signed here took over from it.`, {
    remedy: 'Somebody without a key changed the store: this cannot be accepted. Put the right store back.',
  });

export interface AcceptedLoss {
  readonly log: string;
  readonly lost: number;
}

/** Accepts that the store was replaced by an older one: closes the log that lacks records, and begins a log which says what is missing. */
export const acceptRollback = (options: OpenLogOptions, reason: string): Promise<AcceptedLoss> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const { keys, heads, now } = options;
        const [gone] = await lostLogs(tx, options);
        if (gone === undefined) throw nothingToAccept();
        if (gone.closed) throw notOurs(gone.log);
        const { log: previous, node, size, known } = gone;
        const log = await succeed(tx, { keys, node, previous, at: now(), heads }, spare(), (end) => ({
          kind: 'restore',
          ...end,
          known_size: known.size,
          known_root: known.root,
          reason,
        }));
        return { log, lost: Math.max(0, known.size - size) };
      },
      { sync: true },
    ),
  );

/** Who accepts that store and heads do not belong together, and the reason that this person gives. */
export interface Acceptance {
  readonly reason: string;
  readonly by: string;
}

export interface AcceptedBinding {
  readonly what: AcceptRecord['what'];
  /** The id of the log to which the `accept` record was appended. */
  readonly log: string;
  readonly logs: readonly LogStanding[];
}

/** Gives a copied store a new id. The copied logs are continued in the original file only, so a new log replaces this node's log here. */
export const leaveOriginal = async (tx: Tx, options: OpenLogOptions, spare: () => LogKey): Promise<string> => {
  const { keys, node, now, heads } = options;
  await renewStoreId(tx);
  const [previous, key, owner] = [await openLogOf(tx, node), spare(), { keys, node, at: now(), heads }];
  if (previous === undefined) await insertLog(tx, key, owner);
  else await succeed(tx, { ...owner, previous }, key, (end) => ({ kind: 'succeeds', ...end }));
  return key.logId;
};

type Case = Pick<AcceptRecord, 'what' | 'logs' | 'path'>;

/** The first contradiction to accept: that the store is a copy, else that logs are gone, else that another store was at its path before. */
const caseOf = async (tx: Tx, { heads, site }: OpenLogOptions): Promise<Case | undefined> => {
  const { copyOf, missing, before } = await bindingOf(tx, heads, site);
  if (copyOf !== undefined) return { what: 'copy', logs: await logStandings(tx), path: copyOf };
  if (missing.length > 0) return { what: 'missing log', logs: missing };
  return before.length === 0 || site === undefined ? undefined : { what: 'begun anew', logs: before, path: site.path };
};

/** Accepts one contradiction between store and heads; undefined if there is none. The caller must then sign the log that records it. */
export const acceptBinding = (
  options: OpenLogOptions,
  { reason, by }: Acceptance,
): Promise<AcceptedBinding | undefined> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const found = await caseOf(tx, options);
        if (found === undefined) return undefined;
        const { what, logs, path } = found;
        const log = await (what === 'copy' ? leaveOriginal : claimLog)(tx, options, spare);
        const at = options.now();
        await append(
          tx,
          ownLogOf(options.keys, log),
          inParts(logs).map((part) => ({
            at,
            record: { kind: 'accept', what, logs: part, ...(path !== undefined && { path }), reason, by },
          })),
        );
        return { what, log, logs };
      },
      { sync: true },
    ),
  );
