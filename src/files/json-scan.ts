// Where things stand in a JSON text that has been read before: ends of values, lines, indents. Knows nothing about what they mean.

const STRING = /"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const SPACE = /[ \t\r\n\uFEFF]+/y;
const SCALAR = /[^\s,\]}/]+/y;

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Where the value that begins at `at` ends. The text was read before, so brackets match. */
export const endOf = (text: string, at: number): number => {
  let depth = 0;
  for (let offset = at; offset < text.length; ) {
    const skipped = matchAt(STRING, text, offset) ?? matchAt(COMMENT, text, offset);
    const char = text[offset] ?? '';
    if (depth === 0 && skipped === undefined && !'{['.includes(char)) {
      return offset + (matchAt(SCALAR, text, offset)?.length ?? 1);
    }
    if ('{['.includes(char)) depth += 1;
    if ('}]'.includes(char)) depth -= 1;
    offset += skipped?.length ?? 1;
    if (depth === 0) return offset;
  }
  return text.length;
};

/** The next place that is neither space nor comment. */
export const past = (text: string, at: number): number => {
  let offset = at;
  for (;;) {
    const skipped = matchAt(SPACE, text, offset) ?? matchAt(COMMENT, text, offset);
    if (skipped === undefined) return offset;
    offset += skipped.length;
  }
};

/** The spaces at the start of the line that holds `at`. */
export const lineIndent = (text: string, at: number): string =>
  /^\uFEFF?([ \t]*)/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at))?.[1] ?? '';

export const beginsLine = (text: string, at: number): boolean =>
  /^[ \t]*$/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));

/** How this text is laid out, as far as one can see. */
export const layoutOf = (text: string): { readonly eol: string; readonly unit: string } => ({
  eol: /\r?\n/.exec(text)?.[0] ?? '\n',
  unit: /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ',
});

/** Behind comments on the same line, which belong to what stands before them. */
export const endOfLine = (text: string, at: number): number => {
  const rest = /^[ \t]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(at));
  return at + (rest?.[0].length ?? 0);
};
