// What docs/tools.md and the lenient reading know about an argument of a tool besides its schema.
import * as z from 'zod';

/** The largest size or the form of an argument, if the schema that clients see does not say so. */
export type ArgumentBound =
  | { readonly unit: 'characters' | 'bytes' | ''; readonly least: number; readonly most: number }
  /** The format of a text argument that a length alone does not describe, with samples of accepted and refused values. */
  | { readonly form: string; readonly takes: readonly string[]; readonly refuses: readonly string[] };

/** What docs/tools.md says about an argument besides its schema. Clients do not get it, to save bytes. */
export const ARGUMENT_DOCS = z.registry<{ readonly meaning?: string; readonly bound?: ArgumentBound }>();

/** Adds to the schema of an argument what docs/tools.md says about it. Not needed if the `describe` text, which clients get, suffices. */
export const arg = <S extends z.ZodType>(schema: S, meaning: string): S => {
  const own = schema.clone();
  ARGUMENT_DOCS.add(own, { meaning });
  return own;
};

export const bounded = <S extends z.ZodType>(schema: S, bound: ArgumentBound): S => {
  ARGUMENT_DOCS.add(schema, { bound });
  return schema;
};

/** The input of a tool without arguments. Clients are told that there are none; what is sent all the same is ignored. */
export const NO_ARGUMENTS = z.object({}).meta({ additionalProperties: false });
