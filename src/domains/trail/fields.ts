// The schemas of the arguments that the trail's tools (sessions and thoughts) share.
import * as z from 'zod';
import { bounded } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { THOUGHT_TYPES } from './thought.js';

const isSaying = (text: string): boolean => text.trim() !== '';
const BLANK = { error: 'only white space; say something' };

const BLANK_UUID = /^\s*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*$/i;

/** Removes blanks around an id that Colibri made. Any other text may be a name that a caller chose, and stays as it is. */
const bareId = (text: string): string => BLANK_UUID.exec(text)?.[1] ?? text;

/** A name or id. Characters are code points, as in JSON Schema; Zod would count UTF-16 units. */
const named = bounded(
  z
    .string()
    .overwrite(bareId)
    .refine(
      (text) => text !== '' && [...text.slice(0, 2 * DOMAIN_LIMITS.nameChars + 1)].length <= DOMAIN_LIMITS.nameChars,
      { error: `1 to ${DOMAIN_LIMITS.nameChars} characters` },
    )
    .meta({ maxLength: DOMAIN_LIMITS.nameChars }),
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
    })
    .meta({ maxLength: DOMAIN_LIMITS.contentBytes }),
  { unit: 'bytes', least: 1, most: DOMAIN_LIMITS.contentBytes },
);
/** A thought id: any string, because the error for an unknown id says where to look. */
export const thoughtField = named;

/** Checks that at most one of the given arguments is present. */
export const atMostOne =
  (...keys: readonly string[]) =>
  (args: Readonly<Record<string, unknown>>): boolean =>
    keys.filter((key) => args[key] !== undefined).length <= 1;
