// Finds the records of a server's health that hold the same words as an error: whoever erases what a server wrote before it died during a call
// means every copy of it in the store.
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { callView, serversOf } from '../records/call-view.js';
import { isKind, type LogRow, recordsBetween } from '../records/log-repository.js';
import { logInfo } from '../records/record-repository.js';
import { errorWordsAt, stderrLines } from '../records/words.js';

/** A line as it stands inside a JSON text. */
const inJson = (line: string): string => JSON.stringify(line).slice(1, -1);

/** The `seq` of each health record near the outcome that holds a line of the stderr that is kept beside the outcome. */
export const sameWordsNear = async (tx: ReadTx, outcome: LogRow): Promise<readonly number[]> => {
  const lines = stderrLines(await errorWordsAt(tx, outcome));
  const log = await logInfo(tx, outcome.log_id);
  if (lines.length === 0 || log === undefined) return [];
  const call = callView(outcome, new Set());
  const near = {
    from: log.base + Math.max(0, outcome.seq - CLI_LIMITS.sameWordsRecords),
    to: log.base + Math.min(log.size, outcome.seq + CLI_LIMITS.sameWordsRecords),
  };
  const rows = await recordsBetween(tx, near, [isKind(['health'])]);
  return rows.flatMap(({ seq, body, texts }) => {
    const { instance, server } = parseObject(body);
    const isItsServer = instance === call.instance && serversOf(call).some((name) => name === server);
    return isItsServer && lines.some((line) => texts?.includes(inJson(line))) ? [seq] : [];
  });
};
