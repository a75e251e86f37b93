// The notation in which the shapes of records are written down as data (records.ts), and the TypeScript types that follow from such data.
// So each member of a record is written once; the writer, the command line and docs/audit-format.md read the same table.

/** The names of the types of values that are neither objects nor lists. `SCALARS` describes each type for docs/audit-format.md. */
interface ScalarTypes {
  readonly text: string;
  readonly id: string;
  readonly hex32: string;
  readonly digest: string;
  readonly time: string;
  readonly count: number;
  readonly number: number;
  readonly flag: true;
  readonly truth: boolean;
  readonly anything: unknown;
}

export type Scalar = keyof ScalarTypes;

/** The description of each type of value, as docs/audit-format.md shows it. */
export const SCALARS: Readonly<Record<Scalar, string>> = {
  text: 'a string',
  id: 'a string of 1 to 128 characters',
  hex32: '32 lower-case hex digits: a log id or a store id',
  digest: '64 lower-case hex digits',
  time: '`YYYY-MM-DDTHH:MM:SS.mmmZ`',
  count: 'an integer from 0 to 2^53 − 1',
  number: 'a number that is not negative',
  flag: '`true`; left out otherwise',
  truth: '`true` or `false`',
  anything: 'any JSON value',
};

/** The members of an object. A name that ends in `?` is of a member that may be absent; it is then left out, never null. */
export interface Members {
  readonly [name: string]: RecordShape;
}

export type RecordShape =
  | Scalar
  | { readonly oneOf: readonly string[] }
  | { readonly orNull: RecordShape }
  | { readonly listOf: RecordShape }
  | { readonly either: readonly RecordShape[] }
  | { readonly members: Members };

export const oneOf = <const W extends readonly string[]>(...words: W) => ({ oneOf: words }) as const;
export const orNull = <const S extends RecordShape>(shape: S) => ({ orNull: shape }) as const;
export const listing = <const S extends RecordShape>(shape: S) => ({ listOf: shape }) as const;
export const eitherOf = <const S extends readonly RecordShape[]>(...shapes: S) => ({ either: shapes }) as const;
export const objectOf = <const M extends Members>(members: M) => ({ members }) as const;

/** The TypeScript type of the values that a shape describes. */
export type ShapeValue<S> = S extends Scalar
  ? ScalarTypes[S]
  : S extends { readonly oneOf: readonly (infer Word)[] }
    ? Word
    : S extends { readonly orNull: infer Inner }
      ? ShapeValue<Inner> | null
      : S extends { readonly listOf: infer Inner }
        ? readonly ShapeValue<Inner>[]
        : S extends { readonly either: readonly (infer Inner)[] }
          ? ShapeValue<Inner>
          : S extends { readonly members: infer M }
            ? MembersOf<M>
            : never;

/** The TypeScript type of objects with the given members. */
export type MembersOf<M> = {
  readonly [Name in keyof M as Name extends `${string}?` ? never : Name]: ShapeValue<M[Name]>;
} & {
  readonly [Name in keyof M as Name extends `${infer Plain}?` ? Plain : never]?: ShapeValue<M[Name]> | undefined;
};

/** The name of a member without the `?` at its end, which marks a member that may be absent. */
export const memberName = (written: string): string => (written.endsWith('?') ? written.slice(0, -1) : written);
