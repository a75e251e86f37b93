// The schemas of the arguments that the trail's tools (sessions and thoughts) share.
import * as z from 'zod';
import { bounded } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { THOUGHT_TYPES } from './thought.js';

const isSaying = (text: string): boolean => text.trim() !== '';
const BLANK = { error: 'only white space; say something' };

/** A name or id. A refinement checks its length, because six tools would repeat bounds to every client. Characters are code points. */
const named = bounded(
  z
    .string()
    .refine(
      (text) => text !== '' && [...text.slice(0, 2 * DOMAIN_LIMITS.nameChars + 1)].length <= DOMAIN_LIMITS.nameChars,
      { error: `1 to ${DOMAIN_LIMITS.nameChars} characters` },
    ),
  { unit: 'characters', least: 1, most: DOMAIN_LIMITS.nameChars },
);

/** A session id: any string, because callers may choose the name of a session. */
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
/** A thought id: any string, because the error for an unknown id says where to look. */
export const thoughtField = named;

/** Checks that at most one of the given arguments is present. */
export const atMostOne =
  (...keys: readonly string[]) =>
  (args: Readonly<Record<string, unknown>>): boolean =>
    keys.filter((key) => args[key] !== undefined).length <= 1;
