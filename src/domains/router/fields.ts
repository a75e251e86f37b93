// Arguments of the router tools. Names belong to others: any text, and whoever knows them says which there are.
import * as z from 'zod';
import { DOMAIN_LIMITS } from '../limits.js';

/** A refinement, not a bound: it would cost every client bytes. */
export const nameField = z.string().refine((text) => text !== '' && text.length <= DOMAIN_LIMITS.routerNameChars, {
  error: `1 to ${DOMAIN_LIMITS.routerNameChars} characters`,
});

export const argumentsField = z.record(z.string(), z.unknown());
