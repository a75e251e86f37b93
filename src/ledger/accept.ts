// Records that a person accepts what the heads outside the store contradict: a log that went back, a log that is gone, a store that was
// begun anew, a copy. Until then nothing is appended, or `verify` repeats it.
import { ColibriError } from '../errors.js';
import type { AcceptRecord, LogStanding } from '../proof/records.js';
import type { Tx } from '../store/store.js';
import { bindingOf } from './binding.js';
import { inParts, logStandings, renewStoreId } from './identity.js';
import type { LogKey } from './keys.js';
import { append } from './ledger.js';
import { claimLog, insertLog, lostLogs, type OpenLogOptions, openLogOf, succeed } from './open.js';
import { ownLogOf } from './own-log.js';
import { withSpareKey } from './spare-key.js';

const nothingToAccept = (): ColibriError =>
  new ColibriError('INVALID_PARAMS', 'The store has everything that was signed: there is nothing to accept.');

export interface AcceptedLoss {
  readonly log: string;
  readonly lost: number;
}

/** Accepts that the store was replaced by an older one: closes the old log; a new log of the same node records what is missing. */
export const acceptRollback = (options: OpenLogOptions, reason: string): Promise<AcceptedLoss> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const { keys, heads, now } = options;
        const [gone] = await lostLogs(tx, heads);
        if (gone === undefined) throw nothingToAccept();
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

/** Who accepts, and why. */
export interface Acceptance {
  readonly reason: string;
  readonly by: string;
}

export interface AcceptedBinding {
  readonly what: AcceptRecord['what'];
  /** The log that records it. */
  readonly log: string;
  readonly logs: readonly LogStanding[];
}

/** Makes a copy a store of its own, with an id of its own. Its logs go on in the other file, so here a successor takes over from this node's. */
const leaveOriginal = async (tx: Tx, options: OpenLogOptions, spare: () => LogKey): Promise<string> => {
  const { keys, node, now, heads } = options;
  await renewStoreId(tx);
  const [previous, key, owner] = [await openLogOf(tx, node), spare(), { keys, node, at: now(), heads }];
  if (previous === undefined) await insertLog(tx, key, owner);
  else await succeed(tx, { ...owner, previous }, key, (end) => ({ kind: 'succeeds', ...end }));
  return key.logId;
};

type Case = Pick<AcceptRecord, 'what' | 'logs' | 'path'>;

/** What is to be accepted first: a copy, then logs that are gone, then a store that was there before. */
const caseOf = async (tx: Tx, { heads, site }: OpenLogOptions): Promise<Case | undefined> => {
  const { copyOf, missing, before } = await bindingOf(tx, heads, site);
  if (copyOf !== undefined) return { what: 'copy', logs: await logStandings(tx), path: copyOf };
  if (missing.length > 0) return { what: 'missing log', logs: missing };
  return before.length === 0 || site === undefined ? undefined : { what: 'begun anew', logs: before, path: site.path };
};

/** Accepts one of the cases in which store and heads do not belong together; undefined if there is none. The log must be signed then. */
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
