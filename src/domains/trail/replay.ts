// Which call recorded a thought: the record that the thought points to is the outcome of that call.
import { readBody } from '../../ledger/prove.js';
import type { ReadTx } from '../../store/store.js';
import type { ThoughtRow } from './thought.js';

export const callThatRecorded = async (tx: ReadTx, thought: ThoughtRow): Promise<number> => {
  const { log_id: log, seq, thought_id } = thought;
  const body = await readBody(tx, { log, seq });
  const { sequence_no } = JSON.parse(body ?? '{}') as { readonly sequence_no?: number };
  if (sequence_no === undefined) throw new Error(`no call recorded thought ${thought_id}`);
  return sequence_no;
};
