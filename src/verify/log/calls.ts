// Intents and outcomes: every outcome belongs to an earlier intent of the same log, and what never came to one is
// counted if nobody lives who could still bring it.
import { type JsonObject, parsedObject } from '../../proof/json-object.js';
import { InstanceLocks } from '../../store/sqlite/instances.js';
import type { StoreReader, StoreReading } from '../reading.js';
import { bodyAt, hasOutcome } from './ledger-repository.js';
import type { RecordSpot } from './record.js';

/** An intent that has not met its outcome yet. */
interface Intent {
  readonly call: unknown;
  readonly tool: unknown;
  readonly instance: unknown;
}

/** Intents of the records at hand; an outcome takes its own away, so that there are never more than are open. */
export type Intents = Map<number, Intent>;

export interface CallPlace extends RecordSpot {
  /** The id of the log's record 0. */
  readonly base: number;
}

const olderIntent = (tx: StoreReading, id: number): Intent | undefined => {
  const text = bodyAt(tx, id);
  const body = parsedObject(text);
  return body?.kind === 'call.enter' ? { call: body.call, tool: body.tool, instance: body.instance } : undefined;
};

const outcomeFault = (
  tx: StoreReading,
  intents: Intents,
  body: JsonObject,
  { base, seq }: CallPlace,
): string | undefined => {
  const at = body.sequence_no;
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at >= seq)
    return 'The outcome names no earlier call.';
  const intent = intents.get(at) ?? olderIntent(tx, base + at);
  intents.delete(at);
  if (intent === undefined) return `The outcome belongs to record ${at}, which is no intent.`;
  const isSame = intent.call === body.call && intent.tool === body.tool;
  return isSame ? undefined : `The outcome belongs to record ${at}, which is another call.`;
};

/** Says what is wrong with a call's record in its turn. */
export const callFault = (
  tx: StoreReading,
  intents: Intents,
  body: JsonObject,
  place: CallPlace,
): string | undefined => {
  if (body.kind === 'call.exit') return outcomeFault(tx, intents, body, place);
  if (body.kind !== 'call.enter') return undefined;
  intents.set(place.seq, { call: body.call, tool: body.tool, instance: body.instance });
  return body.sequence_no === place.seq ? undefined : 'The number of a call is the place of its intent.';
};

const lives = async (locks: InstanceLocks, instance: unknown): Promise<boolean> => {
  try {
    return await locks.isAlive(String(instance));
  } catch {
    return false; // no name that a process of ours ever had
  }
};

/**
 * How many of these calls nobody will end. Signs of life first, outcomes afterwards: who ended in between has written
 * its outcomes by then.
 */
export const countAbandoned = async (
  reader: StoreReader,
  path: string,
  log: string,
  intents: Intents,
): Promise<number> => {
  const locks = new InstanceLocks(path, async (attempt) => attempt());
  const alive = new Map<unknown, boolean>();
  for (const { instance } of intents.values()) {
    if (!alive.has(instance)) alive.set(instance, await lives(locks, instance));
  }
  const orphans = [...intents].filter(([, { instance }]) => alive.get(instance) === false);
  return reader.snapshot((tx) => orphans.filter(([seq]) => !hasOutcome(tx, log, seq)).length);
};
