// Tells which thoughts, or which definitions of tools, were erased, as `erase` records say. Records have no index by kind, so all are read
// once, and later calls read only newer records. One id is kept in memory for each that was erased.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import { parsedObject } from '../../proof/canonical-json.js';
import type { StoreReading } from '../reading.js';
import { erasuresIn, evidenceLogs } from './evidence-repository.js';

export interface Erasures {
  /** Whether a record says that the thought, or the definition of a tool, was erased. */
  has(tx: StoreReading, id: string): boolean;
}

type Erased = { readonly type: unknown; readonly id: unknown };

/** The ids of thoughts, payloads or definitions (`kind`) that an `erase` record names. */
export const erasedBy = (
  body: Readonly<Record<string, unknown>> | undefined,
  kind: 'thought' | 'payload' | 'definition',
): string[] => {
  const targets: readonly unknown[] = Array.isArray(body?.targets) ? body.targets : [];
  return targets
    .filter((target): target is Erased => typeof target === 'object' && target !== null)
    .filter(({ type }) => type === kind)
    .map(({ id }) => String(id));
};

export const erasures = (of: 'thought' | 'definition'): Erasures => {
  const ids = new Set<string>();
  /** The id of the last record that was read of each log, by the log's number. */
  const seen = new Map<number, number>();
  const refresh = (tx: StoreReading): void => {
    for (const { no } of evidenceLogs(tx)) {
      if (typeof no !== 'number' || !Number.isSafeInteger(no * RECORDS_PER_LOG)) continue;
      const { bodies, last } = erasuresIn(tx, no, seen.get(no) ?? no * RECORDS_PER_LOG - 1);
      for (const body of bodies) for (const id of erasedBy(parsedObject(body), of)) ids.add(id);
      seen.set(no, last);
    }
  };
  return {
    has: (tx, id) => {
      if (!ids.has(id)) refresh(tx);
      return ids.has(id);
    },
  };
};
