// The words of a call's error, and of attempts that failed before another server answered, which are kept beside the record of its outcome.
import { isObject, type JsonObject, parseObject } from '../../proof/canonical-json.js';
import type { ReadTx } from '../../store/store.js';
import type { CallView } from './call-view.js';
import { type LogRow, payloadAt } from './log-repository.js';

interface Words {
  readonly message?: string;
  readonly data?: string;
  readonly stderr?: string;
}

/** What was said about a call's error, and about attempts before its answer: a call that ended well has only those. `gone` if it was erased or pruned, `none` if nothing was kept. */
export type WordsView =
  | { readonly kept: 'none' }
  | { readonly kept: 'gone' }
  | ({ readonly kept: 'stored'; readonly attempts?: readonly AttemptWords[] } & Words);

/** What was said about an attempt that failed. `attempt`: its place in the attempts of the call's route. */
export interface AttemptWords extends Words {
  readonly attempt: number;
}

const textIn = (key: keyof Words, value: unknown) => (typeof value === 'string' ? { [key]: value } : {});

const wordsIn = ({ message, data, stderr }: JsonObject): Words => ({
  ...textIn('message', message),
  ...textIn('data', data),
  ...textIn('stderr', stderr),
});

const attemptsIn = (attempts: unknown): readonly AttemptWords[] =>
  Array.isArray(attempts)
    ? attempts
        .filter(isObject)
        .flatMap((one) => (typeof one.attempt === 'number' ? { attempt: one.attempt, ...wordsIn(one) } : []))
    : [];

/** The words as one text. */
export const wordsText = ({ message, data, stderr }: Words): string =>
  [message, data && `data: ${data}`, stderr && `last lines on stderr:\n${stderr}`].filter(Boolean).join('\n');

export const errorWordsAt = async (tx: ReadTx, { kind, body, log_id, seq }: LogRow): Promise<WordsView> => {
  if (kind !== 'call.exit' || parseObject(body).texts !== 'stored') return { kept: 'none' };
  const json = await payloadAt(tx, log_id, seq);
  if (json === null) return { kept: 'gone' };
  const words = parseObject(json);
  const attempts = attemptsIn(words.attempts);
  return { kept: 'stored', ...wordsIn(words), ...(attempts.length > 0 && { attempts }) };
};

export const WORDS_GONE =
  'What was said about the error was erased or pruned; its digest stays. Why: colibri log --kind erase --kind prune';

export const WORDS_NOT_KEPT = 'What was said about the error is not kept.';

/** Whether a call ended so that something was said about an error. */
export const mayHaveWords = ({ outcome, is_error, ended_at }: CallView): boolean =>
  ended_at !== null && (is_error || !['ok', 'cancelled', 'interrupted'].includes(outcome));

export const quotedLines = (text: string): string[] => text.split('\n').map((line) => `  ${line}`);

/** The lines on stderr that are kept, of the server that answered and of those that were asked before it. */
export const stderrLines = (words: WordsView): readonly string[] =>
  words.kept === 'stored'
    ? [words, ...(words.attempts ?? [])]
        .flatMap(({ stderr = '' }) => stderr.split('\n'))
        .filter((line) => line.trim() !== '')
    : [];
