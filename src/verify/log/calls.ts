// Checks that every outcome of a call belongs to an earlier record of the call's start (its intent) in the same log, and counts
// intents without an outcome whose Colibri process is gone.
import { type JsonObject, parsedObject } from '../../proof/canonical-json.js';
import type { StoreReader, StoreReading } from '../reading.js';
import { saysWritten } from './kinds.js';
import { bodyAt, indexedOutcome, isEndedNext } from './ledger-repository.js';
import type { RecordSpot } from './record.js';

/** The record of a call's start whose outcome has not been read yet. */
interface Intent {
  readonly call: unknown;
  readonly tool: unknown;
  readonly instance: unknown;
  readonly effect: unknown;
}

const intentOf = ({ call, tool, instance, effect }: JsonObject): Intent => ({ call, tool, instance, effect });

/** Intents without an outcome so far, by record number. An outcome removes its intent, so the map holds only open calls. */
export type Intents = Map<number, Intent>;

export interface CallPlace extends RecordSpot {
  /** The id of the log's record 0. */
  readonly base: number;
  /** The number of the first record of the range that is checked. */
  readonly from: number;
}

const olderIntent = (tx: StoreReading, id: number): Intent | undefined => {
  const text = bodyAt(tx, id);
  const body = parsedObject(text);
  return body?.kind === 'call.enter' ? intentOf(body) : undefined;
};

/**
 * Says if a call has another outcome than the one at `place`, or if the index, which has every outcome that does not follow its intent,
 * lacks this one. `isOpen`: whether the call had no outcome in the range of records so far.
 */
const indexFault = (tx: StoreReading, at: number, isOpen: boolean, place: CallPlace): string | undefined => {
  const { log, base, seq, from } = place;
  if (seq === at + 1) return undefined;
  const found = indexedOutcome(tx, log, at);
  if (found === undefined) return 'The index of outcomes does not have the outcome.';
  const isSecond = !isOpen && (at >= from || isEndedNext(tx, base, at));
  return isSecond || found !== base + seq ? `The call of record ${at} has another outcome.` : undefined;
};

const outcomeFault = (tx: StoreReading, intents: Intents, body: JsonObject, place: CallPlace): string | undefined => {
  const { base, seq } = place;
  const at = body.sequence_no;
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at >= seq)
    return 'The outcome names no earlier call.';
  const open = intents.get(at);
  const intent = open ?? olderIntent(tx, base + at);
  intents.delete(at);
  if (intent === undefined) return `The outcome belongs to record ${at}, which is not an intent.`;
  if (intent.call !== body.call || intent.tool !== body.tool)
    return `The outcome belongs to record ${at}, which is another call.`;
  return intent.effect !== 'write' && saysWritten(body)
    ? 'The outcome says what was written; the call was not one that writes.'
    : indexFault(tx, at, open !== undefined, place);
};

/** Says what is wrong with a record of a call; undefined if nothing is. Records must be given in the order of the log. */
export const callFault = (
  tx: StoreReading,
  intents: Intents,
  body: JsonObject,
  place: CallPlace,
): string | undefined => {
  if (body.kind === 'call.exit') return outcomeFault(tx, intents, body, place);
  if (body.kind !== 'call.enter') return undefined;
  intents.set(place.seq, intentOf(body));
  return body.sequence_no === place.seq
    ? undefined
    : 'The sequence number of the call is not the number of this record.';
};

/** Whether a Colibri process lives. An id that Colibri never wrote is that of no process. */
export const livesIn = async (reader: StoreReader, path: string, instance: unknown): Promise<boolean> => {
  try {
    return await reader.engine.isAlive(reader, path, String(instance));
  } catch {
    return false;
  }
};

/**
 * How many of the given calls have no outcome and no living Colibri process. Processes are looked up before outcomes: a process
 * that ends in between has written its outcomes by then.
 */
export const countAbandoned = async (
  reader: StoreReader,
  path: string,
  { log, base }: Pick<CallPlace, 'log' | 'base'>,
  intents: Intents,
): Promise<number> => {
  const alive = new Map<unknown, boolean>();
  for (const { instance } of intents.values()) {
    if (!alive.has(instance)) alive.set(instance, await livesIn(reader, path, instance));
  }
  const orphans = [...intents].filter(([, { instance }]) => alive.get(instance) === false);
  const isEnded = (tx: StoreReading, seq: number): boolean =>
    isEndedNext(tx, base, seq) || indexedOutcome(tx, log, seq) !== undefined;
  return reader.snapshot((tx) => orphans.filter(([seq]) => !isEnded(tx, seq)).length);
};
