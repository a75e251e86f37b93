// The record of a change of the switchboard file: which servers were added, removed or changed.
import { append } from '../../ledger/ledger.js';
import type { SwitchboardConfig } from '../config/config.js';
import type { ServerChange } from '../config/diff.js';
import { configDigest, nameList } from './lists.js';
import type { RecordsWriter } from './writer.js';

export const recordConfig = (
  records: RecordsWriter,
  config: SwitchboardConfig,
  changes: readonly ServerChange[],
): void => {
  const named = (...kinds: readonly ServerChange['change'][]) =>
    nameList(changes.filter(({ change }) => kinds.includes(change)).map(({ name }) => name));
  const lists = { added: named('added'), removed: named('removed'), changed: named('connection', 'settings') };
  const digest = configDigest(config);
  records.add((tx, { log, instance, at }) =>
    append(tx, log, [{ at, record: { kind: 'config', instance, what: 'switchboard', digest, ...lists } }]),
  );
};
