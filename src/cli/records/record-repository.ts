// The SQL about whole logs, and about what records say of skills.
import { RECORDS_PER_LOG } from '../../core/record-ids.js';
import type { ReadTx } from '../../store/store.js';

export type LogInfo = {
  readonly log_id: string;
  readonly node: string;
  readonly size: number;
  readonly closed_at: string | null;
  readonly public_key: string;
  /** The id of the log's record 0. */
  readonly base: number;
};

export const allLogs = (tx: ReadTx): Promise<LogInfo[]> =>
  tx.all<LogInfo>(
    `SELECT log_id, node, size, closed_at, public_key, no * ${RECORDS_PER_LOG} AS base FROM logs ORDER BY no`,
  );

export const logInfo = async (tx: ReadTx, log: string): Promise<LogInfo | undefined> =>
  (await allLogs(tx)).find(({ log_id }) => log_id === log);

/** The skills that thoughts followed, one row for each version of a skill. */
export const followedSkills = (tx: ReadTx) =>
  tx.all<{ readonly name: string; readonly digest: string; readonly thoughts: number }>(
    `SELECT skill_name AS name, skill_digest AS digest, COUNT(*) AS thoughts FROM thoughts
     WHERE skill_name IS NOT NULL GROUP BY skill_name, skill_digest ORDER BY skill_name, skill_digest`,
  );
