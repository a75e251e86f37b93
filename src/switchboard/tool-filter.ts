// Matches tool names against the patterns of `tools.allow`, `deny`, `readOnly` and `idempotent`, in which `*` stands for any
// characters. There are no regular expressions, so that no pattern in a file can be slow.

/** Whether a name fits a pattern. The first piece must be at the start, the last at the end, the others in order between. */
export const matches = (pattern: string, name: string): boolean => {
  if (pattern === '*') return true;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, from);
    if (found < 0) return false;
    from = found + piece.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
};

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matches(pattern, name));

/** Whether the configuration offers the tool to clients (`tools.allow`, `tools.deny`). */
export const isOffered = (
  tools: { readonly allow: readonly string[]; readonly deny: readonly string[] },
  name: string,
): boolean => matchesAny(tools.allow, name) && !matchesAny(tools.deny, name);
