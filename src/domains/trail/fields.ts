// The arguments of the trail's tools, each written once.
import * as z from 'zod';
import { THOUGHT_TYPES } from './thought.js';

const NAME_CHARS = 128;
const INTENT_CHARS = 2_000;
const CONTENT_BYTES = 65_536;

const isSaying = (text: string): boolean => text.trim() !== '';
const BLANK = { error: 'only white space; say something' };

/** A refinement, not bounds: six tools would repeat them to every client. Characters are code points, as in bounds. */
const named = z.string().refine((text) => text !== '' && [...text.slice(0, 2 * NAME_CHARS + 1)].length <= NAME_CHARS, {
  error: `1 to ${NAME_CHARS} characters`,
});

/** Any string: it is the caller's own name for it. */
export const sessionField = named;
export const intentField = z.string().min(1).max(INTENT_CHARS).refine(isSaying, BLANK);
export const typeField = z.enum(THOUGHT_TYPES);
export const contentField = z
  .string()
  .refine(isSaying, BLANK)
  .refine((text) => Buffer.byteLength(text) <= CONTENT_BYTES, {
    error: `longer than ${CONTENT_BYTES} bytes; shorten it or record it in parts`,
  });
/** No pattern either: an unknown one is answered with where to look. */
export const thoughtField = named;

/** At most one of the keys is given. */
export const atMostOne =
  (...keys: readonly string[]) =>
  (args: Readonly<Record<string, unknown>>): boolean =>
    keys.filter((key) => args[key] !== undefined).length <= 1;
