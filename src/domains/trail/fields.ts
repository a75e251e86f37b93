// The arguments of the trail's tools, each written once.
import * as z from 'zod';
import { bounded } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { THOUGHT_TYPES } from './thought.js';

const isSaying = (text: string): boolean => text.trim() !== '';
const BLANK = { error: 'only white space; say something' };

/** A refinement, not bounds: six tools would repeat them to every client. Characters are code points, as in bounds. */
const named = bounded(
  z
    .string()
    .refine(
      (text) => text !== '' && [...text.slice(0, 2 * DOMAIN_LIMITS.nameChars + 1)].length <= DOMAIN_LIMITS.nameChars,
      { error: `1 to ${DOMAIN_LIMITS.nameChars} characters` },
    ),
  { unit: 'characters', least: 1, most: DOMAIN_LIMITS.nameChars },
);

/** Any string: it is the caller's own name for it. */
export const sessionField = named;
export const intentField = z.string().min(1).max(DOMAIN_LIMITS.intentChars).refine(isSaying, BLANK);
export const typeField = z.enum(THOUGHT_TYPES);
export const contentField = bounded(
  z
    .string()
    .refine(isSaying, BLANK)
    .refine((text) => Buffer.byteLength(text) <= DOMAIN_LIMITS.contentBytes, {
      error: `longer than ${DOMAIN_LIMITS.contentBytes} bytes; shorten it or record it in parts`,
    }),
  { unit: 'bytes', least: 1, most: DOMAIN_LIMITS.contentBytes },
);
/** No pattern either: an unknown one is answered with where to look. */
export const thoughtField = named;

/** At most one of the keys is given. */
export const atMostOne =
  (...keys: readonly string[]) =>
  (args: Readonly<Record<string, unknown>>): boolean =>
    keys.filter((key) => args[key] !== undefined).length <= 1;
