// Keeps definitions of tools by their digest, so that a person can later see what a model saw. A row is evidence: the record that made it
// names it. The text of a row can be erased; it is not written again then.
import { rowSalt, subjectOf } from '../../ledger/evidence.js';
import { readSize } from '../../ledger/head.js';
import { append } from '../../ledger/ledger.js';
import type { Subject } from '../../proof/records.js';
import type { Tx } from '../../store/store.js';
import type { DefinitionText } from '../definition.js';
import type { Recorder } from './catalogue-repository.js';

const SALT = 'SELECT salt FROM definitions WHERE digest = ?';
const INSERT =
  'INSERT INTO definitions (digest, json, salt, log_id, seq) VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO NOTHING';

/**
 * Stores those definitions that are not in the store, for the record that the transaction appends next. Returns what that record has to say
 * about them.
 */
export const insertDefinitions = async (
  tx: Tx,
  definitions: readonly DefinitionText[],
  { log }: Pick<Recorder, 'log'>,
): Promise<readonly Subject[]> => {
  const subjects: Subject[] = [];
  const seq = await readSize(tx, log.id);
  for (const { digest, text } of new Map(definitions.map((one) => [one.digest, one])).values()) {
    const salt = rowSalt();
    await tx.run(INSERT, digest, text, salt, log.id, seq);
    // Another process, or another machine at the same moment, may have stored it: then the row has another salt.
    if ((await tx.get<{ readonly salt: string }>(SALT, digest))?.salt !== salt) continue;
    subjects.push(subjectOf({ type: 'definition', id: digest, rev: 1, salt, columns: {} }));
  }
  return subjects;
};

/** Stores a definition with a record of its own, unless the store has it. */
export const keepDefinition = async (tx: Tx, definition: DefinitionText, to: Recorder): Promise<void> => {
  const subjects = await insertDefinitions(tx, [definition], to);
  const { log, instance, at } = to;
  if (subjects.length > 0) await append(tx, log, [{ at, record: { kind: 'definition', instance, subjects } }]);
};
