// The three results of checking a value against a schema, and how several results are combined.

/** `unknown`: the result depends on a rule that is not checked here. */
export type Fit = 'yes' | 'no' | 'unknown';

const RANK: Readonly<Record<Fit, number>> = { yes: 0, unknown: 1, no: 2 };

/** If both must fit. */
export const worse = (one: Fit, other: Fit): Fit => (RANK[one] >= RANK[other] ? one : other);

/** If one of them must fit. */
export const better = (one: Fit, other: Fit): Fit => (RANK[one] <= RANK[other] ? one : other);
