// Arguments of the router tools. Names belong to others: any text, and whoever knows them says which there are.
import * as z from 'zod';

/** A refinement, not a bound: it would cost every client bytes. */
export const nameField = z
  .string()
  .refine((text) => text !== '' && text.length <= 256, { error: '1 to 256 characters' });

export const argumentsField = z.record(z.string(), z.unknown());
