// Matches tool names against the patterns of `tools.allow`, `deny`, `readOnly` and `idempotent`, in which `*` stands for any
// characters. Regular expressions are not used, because a pattern in a switchboard file could then take very long.

/** Whether a text starts with the first of the strings, ends with the last, and has the others between in this order. Takes linear time. */
export const hasInOrder = ([first = '', ...rest]: readonly string[], text: string): boolean => {
  const last = rest.pop();
  if (last === undefined) return first === text;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
};

export const matches = (pattern: string, name: string): boolean => hasInOrder(pattern.split('*'), name);

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matches(pattern, name));

/** Whether the configuration offers the tool to clients (`tools.allow`, `tools.deny`). */
export const isOffered = (
  tools: { readonly allow: readonly string[]; readonly deny: readonly string[] },
  name: string,
): boolean => matchesAny(tools.allow, name) && !matchesAny(tools.deny, name);
