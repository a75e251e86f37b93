// Formats numbers for people.

/** A number with separators: `1,000,014`. */
export const figure = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** A number with its noun: `1 record`, `1,000,014 records`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${figure(n)} ${n === 1 ? one : many}`;

/** A number as text; `10,000+` if counting stopped at the bound `most` = 10,000. */
export const upTo = (n: number, most: number): string => (n >= most ? `${figure(most)}+` : figure(n));

/** The sum of numbers as text; with a `+` if counting one of them stopped at the bound `most`. */
export const sumUpTo = (parts: readonly number[], most: number): string =>
  `${figure(parts.reduce((sum, n) => sum + n, 0))}${parts.some((n) => n >= most) ? '+' : ''}`;
