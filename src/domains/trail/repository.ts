// The SQL of the trail: sessions and the thoughts chained in them.
import { randomBytes } from 'node:crypto';
import { uuidV7 } from '../../ids.js';
import { type Evidence, rowSalt, subjectOf } from '../../ledger/evidence.js';
import { saltedDigest } from '../../ledger/payload.js';
import { newSalt } from '../../ledger/salt.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { genesisHash, type ThoughtType, thoughtHash } from './thought.js';

export interface NewSession {
  readonly intent: string;
  readonly taskId: string | null;
  readonly agentId: string | null;
  /** Who has to seal it. */
  readonly openedBy: 'agent' | 'colibri';
  readonly at: string;
}

export interface NewThought {
  readonly sessionId: string;
  readonly type: ThoughtType;
  readonly content: string;
  readonly taskId: string | null;
  readonly agentId: string | null;
  /** The task's attempt, if it is about a task. */
  readonly attempt: number | null;
  readonly at: string;
}

const newId = (at: string): string => uuidV7(Date.parse(at), randomBytes(10));

export const openSessionOf = async (tx: ReadTx, taskId: string): Promise<string | undefined> => {
  const row = await tx.get<{ session_id: string }>(
    'SELECT session_id FROM sessions WHERE task_id = ? AND finalized_at IS NULL ORDER BY started_at DESC LIMIT 1',
    taskId,
  );
  return row?.session_id;
};

export const insertSession = async (tx: Tx, evidence: Evidence, session: NewSession): Promise<string> => {
  const { log, seq } = await evidence.place();
  const id = newId(session.at);
  const { intent, taskId, agentId, openedBy, at } = session;
  const start = { log, session_id: id, intent, task_id: taskId, agent_id: agentId, started_at: at };
  const genesis = genesisHash(start);
  const salt = rowSalt();
  await tx.run(
    `INSERT INTO sessions (session_id, intent, task_id, agent_id, opened_by, started_at, genesis_hash, rev, salt, log_id, seq)
     VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
    ...[id, intent, taskId, agentId, openedBy, at, genesis, salt, log, seq],
  );
  const { log: _log, session_id: _id, ...columns } = start;
  const open = { finalized_at: null, root: null, record_count: null };
  const row = { ...columns, opened_by: openedBy, genesis_hash: genesis, ...open };
  evidence.add(subjectOf({ type: 'session', id, rev: 1, salt, columns: row }));
  return id;
};

/** The end of a session's chain: what the next thought continues. */
const chainEnd = async (tx: ReadTx, sessionId: string): Promise<{ place: number; hash: string }> => {
  const last = await tx.get<{ place: number; hash: string }>(
    'SELECT place, hash FROM thoughts WHERE session_id = ? ORDER BY place DESC LIMIT 1',
    sessionId,
  );
  if (last !== undefined) return { place: last.place + 1, hash: last.hash };
  const session = await tx.get<{ genesis_hash: string }>(
    'SELECT genesis_hash FROM sessions WHERE session_id = ?',
    sessionId,
  );
  if (session === undefined) throw new Error(`no session ${sessionId}`);
  return { place: 0, hash: session.genesis_hash };
};

export const insertThought = async (tx: Tx, evidence: Evidence, thought: NewThought): Promise<string> => {
  const { log, seq } = await evidence.place();
  const { sessionId, type, content, taskId, agentId, attempt, at } = thought;
  const end = await chainEnd(tx, sessionId);
  const id = newId(at);
  const salt = newSalt();
  const contentDigest = saltedDigest(salt, content);
  const hash = thoughtHash({
    session_id: sessionId,
    seq: end.place,
    thought_id: id,
    type,
    task_id: taskId,
    agent_id: agentId,
    skill: null,
    content_digest: contentDigest,
    timestamp: at,
    prev_hash: end.hash,
  });
  await tx.run(
    `INSERT INTO thoughts (thought_id, session_id, place, type, task_id, agent_id, content_digest, timestamp, prev_hash,
       hash, content, content_salt, log_id, seq, attempt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, sessionId, end.place, type, taskId, agentId, contentDigest, at, end.hash],
    ...[hash, content, salt.toString('hex'), log, seq, attempt],
  );
  evidence.add({ type: 'thought', id, rev: 1, digest: hash });
  return id;
};

/** Thoughts of a task: in one attempt, or at all. */
export const countThoughts = async (tx: ReadTx, taskId: string, attempt?: number): Promise<number> => {
  const row =
    attempt === undefined
      ? await tx.get<{ count: number }>('SELECT COUNT(*) AS count FROM thoughts WHERE task_id = ?', taskId)
      : await tx.get<{ count: number }>(
          'SELECT COUNT(*) AS count FROM thoughts WHERE task_id = ? AND attempt = ?',
          taskId,
          attempt,
        );
  return row?.count ?? 0;
};
