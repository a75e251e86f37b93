// Sealing a session: it takes no more, and one record holds the root over all its thoughts. The seal is Colibri's own
// act, so it carries its subject itself, inside a call or outside.
import { rowSalt } from '../../ledger/evidence.js';
import { append, readSize } from '../../ledger/ledger.js';
import type { Store, Tx } from '../../store/store.js';
import { findSession, openSessionsBy, openSessionsOfProcesses, saveSession } from './repository.js';
import { rootOverThoughts } from './session-tree.js';

export interface Sealed {
  readonly session_id: string;
  readonly root: string;
  readonly record_count: number;
  readonly finalized_at: string;
  /** Where the seal record stands. */
  readonly seq: number;
}

/** Where records go, and when. */
export interface SealPlace {
  readonly log: string;
  readonly at: string;
}

/** The session must be open and have thoughts. */
export const sealSession = async (tx: Tx, { log, at }: SealPlace, sessionId: string): Promise<Sealed> => {
  const session = await findSession(tx, sessionId);
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  const sealed = { ...(await rootOverThoughts(tx, sessionId)), finalized_at: at };
  const seq = await readSize(tx, log);
  const row = { ...session, ...sealed, rev: session.rev + 1, salt: rowSalt(), log_id: log, seq };
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

/** What Colibri opened for a task, once the task has ended. Returns whether there was anything. */
export const sealTask = async (tx: Tx, place: SealPlace, taskId: string): Promise<boolean> => {
  const open = await openSessionsBy(tx, 'colibri', taskId);
  for (const sessionId of open) await sealSession(tx, place, sessionId);
  return open.length > 0;
};

/** Who opened the session of a process. */
export const processOpener = (instance: string): string => `colibri ${instance}`;

/** What Colibri opened for a process, when it ends. */
export const sealProcess = async (tx: Tx, place: SealPlace, instance: string): Promise<void> => {
  for (const sessionId of await openSessionsBy(tx, processOpener(instance))) await sealSession(tx, place, sessionId);
};

/** The same for processes that can no longer do it themselves. Returns how many sessions it sealed. */
export const sealForDead = async (store: Store, place: () => SealPlace): Promise<number> => {
  const open = await store.read((tx) => openSessionsOfProcesses(tx));
  let sealed = 0;
  for (const { session_id, opened_by } of open) {
    if (await store.instances.isAlive(opened_by.slice(processOpener('').length))) continue;
    await store.write(async (tx) => {
      // Another process may be sweeping too.
      if ((await findSession(tx, session_id))?.finalized_at === null) await sealSession(tx, place(), session_id);
    });
    sealed += 1;
  }
  return sealed;
};
