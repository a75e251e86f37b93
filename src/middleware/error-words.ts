// Finds what an outcome says about an error: the words of the server, or Colibri's own sentence, and those of servers of a route that were asked
// before another one. They are kept with the record of the call.
import { REFUSAL_KEY } from '../call/answer.js';
import type { ColibriServerContext } from '../call/context.js';
import { quietly } from '../errors.js';
import { type CallWords, callWords, type SpokenAttempt, type SpokenWords } from '../ledger/error-words.js';
import { LEDGER_LIMITS } from '../ledger/limits.js';
import { isObject, type JsonObject } from '../proof/canonical-json.js';
import type { Envelope, Outcome } from './envelope.js';
import { proxied } from './proxied-outcome.js';

const textOf = (block: unknown): string => (isObject(block) && typeof block.text === 'string' ? block.text : '');

/** The texts of content blocks, joined; blocks beyond what is searched for secrets are not joined. */
const textsIn = (blocks: readonly unknown[]): string => {
  let texts = '';
  for (const block of blocks) {
    if (texts.length > LEDGER_LIMITS.errorSearchedChars) break;
    const text = textOf(block);
    if (text !== '') texts += `${texts === '' ? '' : '\n'}${text}`;
  }
  return texts;
};

const NO_WORDS = 'The server returned an error without a text.';

/** The words of a result with `isError`. Of Colibri's own refusals, the sentence is the first block; Colibri's envelope is not what a server said. */
const resultWords = (result: JsonObject, envelope: Envelope): string => {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  if (isObject(result._meta) && result._meta[REFUSAL_KEY] !== undefined) return textOf(blocks[0]);
  const isOurs = result.structuredContent === envelope;
  const texts = textsIn(isOurs ? blocks.slice(1) : blocks);
  if (texts !== '' || isOurs || !isObject(result.structuredContent)) return texts || NO_WORDS;
  return JSON.stringify(result.structuredContent);
};

/** The words of a refusal in an envelope: at the top (pattern A) or inside `data` (pattern B). */
const envelopeWords = (envelope: Envelope): string | undefined => {
  if (!envelope.ok) return envelope.error.message;
  const { data } = envelope;
  const refusal = isObject(data) && data.ok === false ? data.error : undefined;
  return isObject(refusal) ? `${String(refusal.code)}: ${String(refusal.message)}` : undefined;
};

const messageOf = ({ kind, native, envelope }: Outcome): string | undefined => {
  const isNative = native !== undefined && 'result' in native;
  if (isNative && native.result.isError === true && envelope.ok) return resultWords(native.result, envelope);
  return kind === 'ok' ? undefined : envelopeWords(envelope);
};

/** What an outcome says about an error; undefined if the call ended well or the client cancelled it. */
const spokenWords = (outcome: Outcome): SpokenWords | undefined => {
  const { kind, native, last } = outcome;
  if (kind === 'cancelled' || (kind === 'ok' && native === undefined)) return undefined;
  if (native !== undefined && 'error' in native) return { message: native.error.message, data: native.error.data };
  const message = messageOf(outcome);
  if (message === undefined) return undefined;
  return last === undefined
    ? { message }
    : { message: `${message}\nIt happened so: ${last.text}.`, stderr: last.stderr };
};

/** What the providers said that a route had asked before another one answered, or before the call was given up. */
const spokenAttempts = ({ unserved = [] }: Outcome): readonly SpokenAttempt[] =>
  unserved.flatMap(({ attempt, answer }) => {
    const words = spokenWords(proxied(answer, undefined));
    return words === undefined ? [] : { attempt, ...words };
  });

/** The words of the error that an outcome is, and of attempts before it, as they are kept; undefined if there are none. Never throws. */
export const wordsToKeep = (ctx: ColibriServerContext, outcome: Outcome): CallWords | undefined => {
  const told = spokenWords(outcome);
  if (told === undefined && outcome.unserved === undefined) return undefined;
  return quietly(() => callWords(told, spokenAttempts(outcome), ctx.switchboard?.hide?.bind(ctx.switchboard)));
};
