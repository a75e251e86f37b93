// Tells which thoughts an `erase` record names. Records have no index by kind, so they are read once, and later calls read only
// newer ones. It keeps one id for each erased thought.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { parsedObject } from '../../proof/json-object.js';
import type { StoreReading } from '../reading.js';
import { erasuresIn, evidenceLogs } from './evidence-repository.js';

export interface Erasures {
  /** Whether a record says that this thought was erased. */
  has(tx: StoreReading, thoughtId: string): boolean;
}

type Erased = { readonly type: unknown; readonly id: unknown };

/** The ids of one type that an erase record names. */
export const erasedBy = (
  body: Readonly<Record<string, unknown>> | undefined,
  kind: 'thought' | 'payload',
): string[] => {
  const targets: readonly unknown[] = Array.isArray(body?.targets) ? body.targets : [];
  return targets
    .filter((target): target is Erased => typeof target === 'object' && target !== null)
    .filter(({ type }) => type === kind)
    .map(({ id }) => String(id));
};

export const erasures = (): Erasures => {
  const ids = new Set<string>();
  /** The last record that was read of each log. */
  const seen = new Map<number, number>();
  const refresh = (tx: StoreReading): void => {
    for (const { no } of evidenceLogs(tx)) {
      if (typeof no !== 'number' || !Number.isSafeInteger(no * RECORDS_PER_LOG)) continue;
      const { bodies, last } = erasuresIn(tx, no, seen.get(no) ?? no * RECORDS_PER_LOG - 1);
      for (const body of bodies) for (const id of erasedBy(parsedObject(body), 'thought')) ids.add(id);
      seen.set(no, last);
    }
  };
  return {
    has: (tx, thoughtId) => {
      if (!ids.has(thoughtId)) refresh(tx);
      return ids.has(thoughtId);
    },
  };
};
