// `colibri switchboard replay`: runs recorded health events through the health state machine again and reports results that differ.
import { EXIT_FAILED } from '../../core/exit-codes.js';
import { count } from '../../core/figures.js';
import type { Store } from '../../store/store.js';
import { replay } from '../../switchboard/health/machine.js';
import { type RecordedHealth, transitionOf } from '../../switchboard/records/health.js';
import { type HealthRow, healthRecordsAfter } from '../../switchboard/records/states-repository.js';
import { readingStore } from '../access.js';
import { findStore, type PlaceOptions } from '../place.js';
import { paint, plain, say, sayJson } from '../screen/print.js';

interface Difference {
  readonly log: string;
  readonly seq: number;
  readonly server: string;
  readonly recorded: string | null;
  readonly replayed: string | null;
}

/** The difference between a health record and its replay, or none. A record that the state machine cannot read counts as a difference. */
const differenceOf = ({ log_id: log, seq, body }: HealthRow): Difference[] => {
  const record = JSON.parse(body) as RecordedHealth & { server: string };
  const place = { log, seq, server: record.server, recorded: record.to };
  try {
    return replay([transitionOf(record)]).map(({ replayed }) => ({ ...place, replayed }));
  } catch {
    return [{ ...place, replayed: 'unreadable' }];
  }
};

const replayAll = async (store: Store) => {
  const differences: Difference[] = [];
  let transitions = 0;
  for (let after = -1; ; ) {
    const rows = await store.read((tx) => healthRecordsAfter(tx, after));
    const last = rows.at(-1);
    if (last === undefined) return { transitions, differences };
    transitions += rows.length;
    differences.push(...rows.flatMap(differenceOf));
    after = last.id;
  }
};

export const replayHealth = async (options: PlaceOptions & { readonly json?: true }): Promise<number> => {
  const result = await readingStore(findStore(options), replayAll);
  if (options.json) sayJson(result);
  else {
    for (const { log, seq, server, recorded, replayed } of result.differences) {
      const both = `recorded ${recorded ?? 'removed'}, replayed ${replayed ?? 'removed'}`;
      say(paint('red', `${log}/${seq} ${plain(server)}: ${both}`));
    }
    say(`${count(result.transitions, 'transition')} replayed, ${count(result.differences.length, 'difference')}`);
  }
  return result.differences.length === 0 ? 0 : EXIT_FAILED;
};
