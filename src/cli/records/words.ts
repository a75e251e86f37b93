// The words of a call's error, which are kept beside the record of its outcome.
import { parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import type { CallView } from './call-view.js';
import { type LogRow, payloadAt } from './log-repository.js';

/** What was said about a call's error; `gone` if it was erased or pruned, `none` if nothing was kept. */
export type WordsView =
  | { readonly kept: 'none' }
  | { readonly kept: 'gone' }
  | { readonly kept: 'stored'; readonly message: string; readonly data?: string; readonly stderr?: string };

const textIn = (key: 'data' | 'stderr', value: unknown) => (typeof value === 'string' ? { [key]: value } : {});

export const errorWordsAt = async (tx: ReadTx, { kind, body, log_id, seq }: LogRow): Promise<WordsView> => {
  if (kind !== 'call.exit' || parseObject(body).texts !== 'stored') return { kept: 'none' };
  const json = await payloadAt(tx, log_id, seq);
  if (json === null) return { kept: 'gone' };
  const { message, data, stderr } = parseObject(json);
  const text = typeof message === 'string' ? message : '';
  return { kept: 'stored', message: text, ...textIn('data', data), ...textIn('stderr', stderr) };
};

export const WORDS_GONE =
  'What was said about the error was erased or pruned; its digest stays. Why: colibri log --kind erase --kind prune';

export const WORDS_NOT_KEPT = 'What was said about the error is not kept.';

/** Whether a call ended so that something was said about an error. */
export const mayHaveWords = ({ outcome, is_error, ended_at }: CallView): boolean =>
  ended_at !== null && (is_error || !['ok', 'cancelled', 'interrupted'].includes(outcome));

export const quotedLines = (text: string): string[] => text.split('\n').map((line) => `  ${line}`);
