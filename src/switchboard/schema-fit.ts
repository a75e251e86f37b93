// The three answers to whether a value fits a schema, and how several become one.

/** `unknown`: the schema says something that is not asked. */
export type Fit = 'yes' | 'no' | 'unknown';

const RANK: Readonly<Record<Fit, number>> = { yes: 0, unknown: 1, no: 2 };

/** All of them must fit. */
export const worse = (one: Fit, other: Fit): Fit => (RANK[one] >= RANK[other] ? one : other);

/** One of them must. */
export const better = (one: Fit, other: Fit): Fit => (RANK[one] <= RANK[other] ? one : other);
