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

export const ORDERS = ['oldest', 'newest'] as const;
export type ThoughtOrder = (typeof ORDERS)[number];

/** For each order of a list: how SQL compares a row with the last one that was listed, and how it sorts. `start` is before every row. */
const SQL = {
  oldest: { beyond: '>', sorted: 'ASC', start: -1 },
  newest: { beyond: '<', sorted: 'DESC', start: Number.MAX_SAFE_INTEGER },
} as const;

/** Which part of a list is read: at most `limit` thoughts that come after the position `after`, in this order. */
export interface ThoughtPart {
  readonly order: ThoughtOrder;
  readonly after: readonly number[];
  readonly limit: number;
}

/** The thoughts of a session. A position is the thought's place in the session. */
export const spotsInSession = async (tx: ReadTx, sessionId: string, { order, after, limit }: ThoughtPart) => {
  const { beyond, sorted, start } = SQL[order];
  const rows = await tx.all<{ id: string; type: ThoughtType; place: number }>(
    `SELECT thought_id AS id, type, place FROM thoughts WHERE session_id = ? AND place ${beyond} ?
     ORDER BY place ${sorted} LIMIT ?`,
    sessionId,
    after[0] ?? start,
    limit,
  );
  return rows.map(({ id, type, place }): ThoughtSpot => ({ id, type, position: [place] }));
};

/** The thoughts about a task in all sessions, in the order of their records. */
export const spotsOfTask = async (tx: ReadTx, taskId: string, { order, after, limit }: ThoughtPart) => {
  const { beyond, sorted, start } = SQL[order];
  const [no = start, seq = start, place = start] = after;
  const rows = await tx.all<SpotRow>(
    `SELECT t.thought_id AS id, t.type, l.no, t.seq, t.place FROM thoughts t JOIN logs l ON l.log_id = t.log_id
     WHERE t.task_id = ? AND (l.no, t.seq, t.place) ${beyond} (?, ?, ?)
     ORDER BY l.no ${sorted}, t.seq ${sorted}, t.place ${sorted} LIMIT ?`,
    ...[taskId, no, seq, place, limit],
  );
  return rows.map(spot);
};

/** All thoughts in the order of their records. Runs one query per log, so that each query can use the index. */
export const spotsOfAll = async (tx: ReadTx, { order, after, limit }: ThoughtPart): Promise<ThoughtSpot[]> => {
  const { beyond, sorted, start } = SQL[order];
  const [from = start, seq = start, place = start] = after;
  const logs = await tx.all<{ no: number; log_id: string }>(
    `SELECT no, log_id FROM logs WHERE no ${beyond}= ? ORDER BY no ${sorted}`,
    from,
  );
  const spots: ThoughtSpot[] = [];
  for (const { no, log_id } of logs) {
    const behind = no === from ? [seq, place] : [start, start];
    const rows = await tx.all<Omit<SpotRow, 'no'>>(
      `SELECT thought_id AS id, type, seq, place FROM thoughts
       WHERE log_id = ? AND (seq, place) ${beyond} (?, ?) ORDER BY seq ${sorted}, place ${sorted} LIMIT ?`,
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
