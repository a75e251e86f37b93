// The words of a call's error, kept beside the record of its outcome: without secrets, cut to length, and in a row of their own, so that they
// can be erased and pruned. Only calls that end with an error pay for this.
import { plainBut } from '../core/plain.js';
import { isObject } from '../proof/canonical-json.js';
import { redact } from '../redact/redact.js';
import { LEDGER_LIMITS } from './limits.js';

/** What was said about an error, as it was said. */
export interface SpokenWords {
  readonly message: string;
  /** The `data` of a JSON-RPC error: any JSON value. */
  readonly data?: unknown;
  /** The last lines that the server wrote to stderr, if its process ended during the call. */
  readonly stderr?: string | undefined;
}

/** The words as they are kept. */
export interface ErrorWords {
  readonly message: string;
  readonly data?: string;
  readonly stderr?: string;
}

/** What was said about an attempt that failed. `attempt`: its place in the attempts of the call's route. */
export interface SpokenAttempt extends SpokenWords {
  readonly attempt: number;
}

/** What is kept of a call: the words of the error that the caller was told, if it ended with one, and those of attempts that the caller was not told of. */
export interface CallWords extends Partial<ErrorWords> {
  readonly attempts?: readonly (ErrorWords & { readonly attempt: number })[];
}

/** Removes further secrets that are known by their values. */
type Hide = (text: string) => string;

const MARK = '…';

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** As many whole characters from the beginning of a text, or from its end, as fit into so many bytes; a mark shows what was cut. */
const fitted = (text: string, bytes: number, end: 'head' | 'tail'): string => {
  if (bytesOf(text) <= bytes) return text;
  const room = bytes - bytesOf(MARK);
  const all = Buffer.from(text);
  if (end === 'head')
    return `${all
      .subarray(0, room)
      .toString()
      .replace(/\ufffd+$/, '')}${MARK}`;
  return `${MARK}${all
    .subarray(all.length - room)
    .toString()
    .replace(/^\ufffd+/, '')}`;
};

/**
 * Removes secrets and control characters from a text. Of a very long text only the beginning is searched and kept. A secret that was cut there
 * may not be recognised, so what stands before the cut is dropped.
 */
const cleaned = (text: string, hide: Hide): string => {
  const { errorSearchedChars: most, errorDroppedChars: dropped } = LEDGER_LIMITS;
  const whole = text.toWellFormed();
  const found = String(redact(hide(whole.length <= most ? whole : whole.slice(0, most).toWellFormed())));
  return plainBut(whole.length <= most ? found : found.slice(0, -dropped), '\n\t').trim();
};

/** Removes secrets from the `data` of an error and writes it as text; undefined if it has no JSON form. */
const dataText = (data: unknown, hide: Hide): string | undefined => {
  if (data === undefined || (isObject(data) && Object.keys(data).length === 0)) return undefined;
  try {
    return cleaned(JSON.stringify(redact(data)) ?? '', hide);
  } catch {
    return undefined; // it is nested too deep; its message is kept all the same
  }
};

const wordBytes = ({ message, data = '', stderr = '' }: ErrorWords): number =>
  bytesOf(message) + bytesOf(data) + bytesOf(stderr);

/** The words of an error as they are kept: together at most so many bytes, of which data and stderr get what is left of their shares. */
const keptWords = ({ message, data, stderr }: SpokenWords, hide: Hide, bytes: number): ErrorWords => {
  const shareOf = (most: number): number => Math.floor((most * bytes) / LEDGER_LIMITS.errorBytes);
  const [dataBytes, stderrBytes] = [shareOf(LEDGER_LIMITS.errorDataBytes), shareOf(LEDGER_LIMITS.errorStderrBytes)];
  const more = dataText(data, hide);
  const last = stderr === undefined ? '' : cleaned(stderr, hide);
  const rest = {
    ...(more !== undefined && { data: fitted(more, dataBytes, 'head') }),
    ...(last !== '' && { stderr: fitted(last, stderrBytes, 'tail') }),
  };
  const room = bytes - Object.values(rest).reduce((sum, text) => sum + bytesOf(text), 0);
  return { message: fitted(cleaned(message, hide), room, 'head'), ...rest };
};

/** The words of a call as they are kept: together at most `errorBytes`. Attempts share a half of them equally if the caller was told of an error, too; else all. */
export const callWords = (
  told: SpokenWords | undefined,
  attempts: readonly SpokenAttempt[],
  hide: Hide = (text) => text,
): CallWords | undefined => {
  const { errorBytes } = LEDGER_LIMITS;
  const share = Math.floor(errorBytes / Math.max(1, attempts.length) / (told === undefined ? 1 : 2));
  const kept = attempts.map(({ attempt, ...words }) => ({ attempt, ...keptWords(words, hide, share) }));
  const room = errorBytes - kept.reduce((sum, words) => sum + wordBytes(words), 0);
  if (told === undefined && kept.length === 0) return undefined;
  return { ...(told && keptWords(told, hide, room)), ...(kept.length > 0 && { attempts: kept }) };
};
