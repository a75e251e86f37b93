// A call in the ledger: its intent, committed before the handler starts, and its outcome. Two appended records
// linked by `sequence_no`; nothing is ever updated.
import type { Store, Tx } from '../store/store.js';
import { type Appended, append } from './ledger.js';
import { type PayloadPolicy, payloadOf } from './payload.js';
import type { CallExitRecord, ClientIdentity, Effect, HostIdentity, OutcomeKind, OutcomeNotes } from './records.js';

export interface Intent {
  readonly at: string;
  readonly call: string;
  readonly tool: string;
  readonly effect?: Effect;
  readonly client: ClientIdentity | null;
  readonly host?: HostIdentity;
  /** The arguments as they came, but for texts that the tool stores itself. */
  readonly args: unknown;
  /** Set when the call was answered before its intent was committed. */
  late?: true;
}

export interface Ending {
  readonly at: string;
  readonly call: string;
  readonly tool: string;
  readonly outcome: OutcomeKind;
  readonly code?: string;
  readonly resultDigest?: string;
  readonly durationUs?: number;
  readonly notes?: OutcomeNotes;
  readonly late?: true;
}

export interface CallLedger {
  readonly log: string;
  /** Commits the intent and returns the call's number. */
  enter(intent: Intent): Promise<number>;
  /** Appends the outcome: in `tx`, to commit with the handler's own writes, or in a transaction of its own. */
  exit(sequenceNo: number, ending: Ending, tx?: Tx): Promise<Appended>;
  /** Appends both, in the caller's transaction, for a call that is over. */
  pair(tx: Tx, intent: Intent, ending: Ending): Promise<void>;
}

export interface CallLedgerOptions {
  readonly store: Store;
  readonly log: string;
  readonly instance: string;
  readonly payloads: PayloadPolicy;
}

const exitRecord = (sequenceNo: number, ending: Ending): CallExitRecord => ({
  kind: 'call.exit',
  sequence_no: sequenceNo,
  call: ending.call,
  tool: ending.tool,
  outcome: ending.outcome,
  ...(ending.code !== undefined && { code: ending.code }),
  ...(ending.resultDigest !== undefined && { result_digest: ending.resultDigest }),
  ...(ending.durationUs !== undefined && { duration_us: ending.durationUs }),
  ...ending.notes,
  ...(ending.late && { late: true }),
});

export const createCallLedger = ({ store, log, instance, payloads }: CallLedgerOptions): CallLedger => {
  const appendOne = async (tx: Tx, at: string, record: Parameters<typeof append>[2][number]['record']) => {
    const [appended] = await append(tx, log, [{ at, record }]);
    if (appended === undefined) throw new Error('append returned nothing');
    return appended;
  };

  /** Digest and redaction happen once, outside: the transaction may run again. */
  const intentWriter = (intent: Intent) => {
    const payload = payloadOf(intent.args, payloads);
    return async (tx: Tx): Promise<number> => {
      const { seq } = await appendOne(tx, intent.at, {
        kind: 'call.enter',
        instance,
        call: intent.call,
        tool: intent.tool,
        ...(intent.effect !== undefined && { effect: intent.effect }),
        client: intent.client,
        ...(intent.host !== undefined && { host: intent.host }),
        ...payload.said,
        ...(intent.late && { late: true }),
      });
      if (payload.row !== undefined) {
        const { salt, json } = payload.row;
        await tx.run('INSERT INTO payloads (log_id, seq, salt, json) VALUES (?, ?, ?, ?)', log, seq, salt, json);
      }
      return seq;
    };
  };

  const writeExit = (tx: Tx, sequenceNo: number, ending: Ending) =>
    appendOne(tx, ending.at, exitRecord(sequenceNo, ending));

  return {
    log,
    enter: (intent) => store.write(intentWriter(intent), { group: true }),
    exit: (sequenceNo, ending, tx) =>
      tx === undefined
        ? store.write((own) => writeExit(own, sequenceNo, ending), { group: true })
        : writeExit(tx, sequenceNo, ending),
    pair: async (tx, intent, ending) => {
      const sequenceNo = await intentWriter(intent)(tx);
      await writeExit(tx, sequenceNo, ending);
    },
  };
};
