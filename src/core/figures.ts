// Formats numbers for people.

/** `1,000,014` */
export const figure = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** `1 record`, `1,000,014 records` */
export const count = (n: number, one: string, many = `${one}s`): string => `${figure(n)} ${n === 1 ? one : many}`;

/** `10,000+` when counting stopped at that bound. */
export const upTo = (n: number, most: number): string => (n >= most ? `${figure(most)}+` : figure(n));

/** The same for a sum: if counting one part stopped at the bound, the sum gets a `+` as well. */
export const sumUpTo = (parts: readonly number[], most: number): string =>
  `${figure(parts.reduce((sum, n) => sum + n, 0))}${parts.some((n) => n >= most) ? '+' : ''}`;
