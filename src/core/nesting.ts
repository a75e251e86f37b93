// Checks how deep a value is nested. A text of a few kilobytes can be nested too deep for any recursive program to serialize.

/** Stops at the allowed depth, so a value with 100,000 levels needs no more stack than an allowed one. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
};
