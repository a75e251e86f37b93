// Seals sessions: a sealed session takes no more thoughts, and its seal record holds the Merkle root over all its thoughts. A seal may be
// written outside of any call, so the seal record itself names the session row that it changes.
import { rowSalt } from '../../ledger/evidence.js';
import { readSize } from '../../ledger/head.js';
import { append } from '../../ledger/ledger.js';
import type { OwnLog } from '../../ledger/own-log.js';
import type { Store, Tx } from '../../store/store.js';
import { findSession, openSessionsBy, openSessionsOfProcesses, saveSession } from './repository.js';
import { rootOverThoughts } from './session-tree.js';

/** The log that gets the seal record, and the time in the record. */
export interface SealPlace {
  readonly log: OwnLog;
  readonly at: string;
}

/** Seals one session, which must be open and have thoughts. Returns its seal; `seq` is the index of the seal record in the log. */
export const sealSession = async (tx: Tx, { log, at }: SealPlace, sessionId: string) => {
  const session = await findSession(tx, sessionId);
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  const sealed = { ...(await rootOverThoughts(tx, sessionId)), finalized_at: at };
  const seq = await readSize(tx, log.id);
  const row = { ...session, ...sealed, rev: session.rev + 1, salt: rowSalt(), log_id: log.id, seq };
  const subject = await saveSession(tx, row);
  const { root, record_count } = sealed;
  const { genesis_hash } = session;
  const record = {
    kind: 'seal',
    session_id: sessionId,
    genesis_hash,
    root,
    record_count,
    subjects: [subject],
  } as const;
  await append(tx, log, [{ at, record }]);
  return { session_id: sessionId, ...sealed, seq };
};

/** Seals the sessions that Colibri opened for a task, once the task has ended. Returns true if there were any. */
export const sealTask = async (tx: Tx, place: SealPlace, taskId: string): Promise<boolean> => {
  const open = await openSessionsBy(tx, 'colibri', taskId);
  for (const sessionId of open) await sealSession(tx, place, sessionId);
  return open.length > 0;
};

/** The value of `opened_by` in sessions that Colibri opened for a process. */
export const processOpener = (instance: string): string => `colibri ${instance}`;

/** Seals the sessions that Colibri opened for a process. Called when the process ends. */
export const sealProcess = async (tx: Tx, place: SealPlace, instance: string): Promise<void> => {
  for (const sessionId of await openSessionsBy(tx, processOpener(instance))) await sealSession(tx, place, sessionId);
};

/** Seals the sessions of processes that ended without sealing them. Returns how many such sessions there were. */
export const sealForDead = async (store: Store, place: () => SealPlace): Promise<number> => {
  const open = await store.read((tx) => openSessionsOfProcesses(tx));
  let sealed = 0;
  for (const { session_id, opened_by } of open) {
    if (await store.instances.isAlive(opened_by.slice(processOpener('').length))) continue;
    const to = place();
    const seal = async (tx: Tx): Promise<void> => {
      // Another process may have sealed the session meanwhile.
      if ((await findSession(tx, session_id))?.finalized_at === null) await sealSession(tx, to, session_id);
    };
    await store.write(seal, { log: to.log.id });
    sealed += 1;
  }
  return sealed;
};
