// The SQL that finds logs and records by what a person types: the beginning of a log's id, or a record's number.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import type { ReadTx, Store } from '../../store/store.js';

export type LogInfo = {
  readonly log_id: string;
  readonly node: string;
  readonly size: number;
  readonly closed_at: string | null;
  readonly public_key: string;
};

const LOG = 'SELECT log_id, node, size, closed_at, public_key FROM logs';

export const logInfo = (tx: ReadTx, log: string): Promise<LogInfo | undefined> =>
  tx.get<LogInfo>(`${LOG} WHERE log_id = ?`, log);

/** The logs whose ids begin with the hex digits `prefix`. */
export const logsLike = (tx: ReadTx, prefix: string): Promise<LogInfo[]> =>
  tx.all<LogInfo>(`${LOG} WHERE log_id LIKE ? ESCAPE '\\' ORDER BY no`, `${prefix}%`);

/** The logs that have a record with the number `seq`. */
export const logsReaching = (tx: ReadTx, seq: number): Promise<LogInfo[]> =>
  tx.all<LogInfo>(`${LOG} WHERE size > ? ORDER BY no`, seq);

/** The time of a log's last record. */
export const lastRecordAt = async (tx: ReadTx, log: string): Promise<string | undefined> =>
  (
    await tx.get<{ at: string }>(
      `SELECT a.at FROM logs l JOIN actions a ON a.id = l.no * ${RECORDS_PER_LOG} + l.size - 1 WHERE l.log_id = ?`,
      log,
    )
  )?.at;

export type FollowedSkill = { readonly name: string; readonly digest: string; readonly thoughts: number };

/** The skills that thoughts followed, one row for each version of a skill. */
export const followedSkills = (tx: ReadTx): Promise<FollowedSkill[]> =>
  tx.all<FollowedSkill>(
    `SELECT skill_name AS name, skill_digest AS digest, COUNT(*) AS thoughts FROM thoughts
     WHERE skill_name IS NOT NULL GROUP BY skill_name, skill_digest ORDER BY skill_name, skill_digest`,
  );

/** The Colibri processes that have this store open as servers now. */
export const livingInstances = async (store: Store): Promise<{ readonly instance: string; readonly pid: number }[]> => {
  const known = await store.read((tx) =>
    tx.all<{ instance: string; pid: number }>('SELECT instance, pid FROM instances ORDER BY started_at'),
  );
  const living: { instance: string; pid: number }[] = [];
  for (const one of known) if (await store.instances.isAlive(one.instance)) living.push(one);
  return living;
};
