// The SQL that lists thoughts. It reads ids and positions first, and contents only for the thoughts that are shown.
import type { ReadTx } from '../../store/store.js';
import type { ThoughtRow, ThoughtType } from './thought.js';

/** A thought's id and type, and its position in a list. */
export interface ThoughtSpot {
  readonly id: string;
  readonly type: ThoughtType;
  readonly position: readonly number[];
}

type SpotRow = {
  readonly id: string;
  readonly type: ThoughtType;
  readonly no: number;
  readonly seq: number;
  readonly place: number;
};

const spot = ({ id, type, no, seq, place }: SpotRow): ThoughtSpot => ({ id, type, position: [no, seq, place] });

/** The thoughts of a session after a place in the session, at most `limit`. */
export const spotsInSession = async (tx: ReadTx, sessionId: string, [after = -1]: readonly number[], limit: number) => {
  const rows = await tx.all<{ id: string; type: ThoughtType; place: number }>(
    'SELECT thought_id AS id, type, place FROM thoughts WHERE session_id = ? AND place > ? ORDER BY place LIMIT ?',
    sessionId,
    after,
    limit,
  );
  return rows.map(({ id, type, place }): ThoughtSpot => ({ id, type, position: [place] }));
};

/** The thoughts about a task in all sessions, in the order of their records, at most `limit`. */
export const spotsOfTask = async (tx: ReadTx, taskId: string, after: readonly number[], limit: number) => {
  const [no = 0, seq = -1, place = -1] = after;
  const rows = await tx.all<SpotRow>(
    `SELECT t.thought_id AS id, t.type, l.no, t.seq, t.place FROM thoughts t JOIN logs l ON l.log_id = t.log_id
     WHERE t.task_id = ? AND (l.no, t.seq, t.place) > (?, ?, ?) ORDER BY l.no, t.seq, t.place LIMIT ?`,
    ...[taskId, no, seq, place, limit],
  );
  return rows.map(spot);
};

/** All thoughts in the order of their records, at most `limit`. Runs one query per log, so that each query can use the index. */
export const spotsOfAll = async (tx: ReadTx, after: readonly number[], limit: number): Promise<ThoughtSpot[]> => {
  const [from = 0, seq = -1, place = -1] = after;
  const logs = await tx.all<{ no: number; log_id: string }>(
    'SELECT no, log_id FROM logs WHERE no >= ? ORDER BY no',
    from,
  );
  const spots: ThoughtSpot[] = [];
  for (const { no, log_id } of logs) {
    const behind = no === from ? [seq, place] : [-1, -1];
    const rows = await tx.all<Omit<SpotRow, 'no'>>(
      `SELECT thought_id AS id, type, seq, place FROM thoughts
       WHERE log_id = ? AND (seq, place) > (?, ?) ORDER BY seq, place LIMIT ?`,
      ...[log_id, ...behind, limit - spots.length],
    );
    spots.push(...rows.map((row) => spot({ no, ...row })));
    if (spots.length >= limit) break;
  }
  return spots;
};

/** A thought's row as lists show it: with the beginning of the content, and the content's length in characters. */
export type ListedRow = Omit<
  ThoughtRow,
  'content_salt' | 'idempotency_key' | 'request_digest' | 'log_id' | 'attempt'
> & {
  readonly content_chars: number | null;
};

const LISTED = `thought_id, session_id, place, type, task_id, agent_id, skill_name, skill_digest, content_digest, timestamp,
  prev_hash, hash, seq, length(content) AS content_chars`;

/** A thought with the first `chars` characters of its content. SQLite counts code points, so a character is never cut in half. */
export const listedThought = (tx: ReadTx, thoughtId: string, chars: number): Promise<ListedRow | undefined> =>
  tx.get<ListedRow>(
    `SELECT ${LISTED}, substr(content, 1, ?) AS content FROM thoughts WHERE thought_id = ?`,
    chars,
    thoughtId,
  );
