// How deep a value is nested. A text of a few kilobytes can be nested deeper than any program could write it again.

/** Looks no deeper than it must: 100,000 levels cost no more stack than the allowed ones. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
};
