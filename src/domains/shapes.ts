// The schemas of values that several tools return. `kind` is the name of a type in docs/tools.md, `named` a shape that docs/tools.md
// describes once. Objects are strict: a field that is missing from its shape is a mistake in the shape or in the tool.
import * as z from 'zod';
import { DOMAIN_LIMITS } from './limits.js';

const kind = <S extends z.ZodType>(schema: S, name: string): S => schema.meta({ kind: name });
export const pattern = (regex: RegExp, name: string) => kind(z.string().regex(regex), name);

export const textField = z.string();
export const flagField = z.boolean();
export const countShape = z.int().nonnegative();
export const from1 = z.int().positive();
export const time = pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'time');
export const hash = pattern(/^[0-9a-f]{64}$/, 'hash');
export const uuid = pattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID');
export const skillDigest = pattern(/^sha256:[0-9a-f]{64}$/, 'digest');
export const taskIdShape = pattern(/^T-\d{4,}$/, 'task id');
export const sessionIdShape = kind(z.string().min(1).max(DOMAIN_LIMITS.nameChars), 'session id');
export const nextCursor = kind(z.string().min(1), 'cursor')
  .nullable()
  .describe('The cursor of the next page; null at the end of the list.');

export const redacted = z
  .array(textField)
  .optional()
  .describe(
    'The arguments from which a text that looks like a secret was removed before they were stored; absent if there are none.',
  );

export const callShape = z
  .strictObject({ tool: textField, arguments: z.record(z.string(), z.unknown()) })
  .meta({ named: 'Call' });

/** Tool calls that the client can send as they are; the details of nearly every error have them. */
export const next = z.array(callShape).describe('Ready calls.');

// The `details` of errors that several domains return.

export const missingDetails = { missing: z.array(taskIdShape), next };
export const sessionDetails = { session_id: sessionIdShape, next };
export const sealedDetails = { session_id: sessionIdShape, finalized_at: time, next };
export const thoughtDetails = { thought_id: textField, next };

/** The descriptions of the arguments `limit` and `cursor`, which every list takes. */
export const limitMeaning = 'The most rows to return; fewer come if the result would exceed 24 KB.';
export const cursorMeaning = 'The `next_cursor` of the page before; the filter must be the same.';
