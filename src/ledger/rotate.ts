// Replaces the key of a log: the old log names the key of its successor in its last record, and is signed with the old key a last time.
import { ColibriError } from '../errors.js';
import { originOf } from '../proof/checkpoint.js';
import { vkeyOf } from '../proof/verifier.js';
import type { Tx } from '../store/store.js';
import { withSpareKey } from './keys.js';
import { append } from './ledger.js';
import { type OpenLogOptions, openLogOf, succeed, writersOf } from './open.js';
import { ownLogOf } from './own-log.js';
import { verifierOf } from './tree.js';

/** Throws if a living process writes the log, or a dead one left calls open: in a closed log a call could never get an outcome. */
const assertNoWriters = async (tx: Tx, options: OpenLogOptions, log: string): Promise<void> => {
  const [writer] = await writersOf(tx, options, log);
  if (writer === undefined) return;
  const { pid, alive } = writer;
  throw new ColibriError(
    'STORE_BUSY',
    alive ? `process ${pid} serves with this key.` : `process ${pid} died, and its calls are not closed yet.`,
    { remedy: alive ? `Stop process ${pid}, then try again.` : 'Start `colibri serve` once, then try again.' },
  );
};

/** Replaces the key of this node's log: the log ends with a record that names the new key and is signed a last time, and a new log begins. */
export const rotateKey = (
  options: OpenLogOptions,
  signLast: (tx: Tx, log: string) => Promise<void>,
): Promise<{ readonly previous: string; readonly log: string }> =>
  withSpareKey(options, (spare) =>
    options.store.write(
      async (tx) => {
        const { keys, node, now, heads } = options;
        const previous = await openLogOf(tx, node);
        if (previous === undefined) throw new ColibriError('INVALID_PARAMS', 'The store has no open log of this user.');
        await assertNoWriters(tx, options, previous);
        const key = spare();
        const successor = vkeyOf(verifierOf(originOf(key.logId), Buffer.from(key.publicKey, 'hex')));
        const at = now();
        await append(tx, ownLogOf(keys, previous), [{ at, record: { kind: 'rotate', successor } }]);
        await signLast(tx, previous);
        const log = await succeed(tx, { keys, node, previous, at, heads }, key, (end) => ({
          kind: 'succeeds',
          ...end,
        }));
        return { previous, log };
      },
      { sync: true },
    ),
  );
