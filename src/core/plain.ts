// Makes text from other programs safe to print on a terminal, in a log or in a table: characters that a terminal obeys, that reorder a line or
// that are invisible are replaced by visible escapes (`\u001b`). Pure.

/**
 * Matches C0, DEL and C1 controls; line and paragraph separators; what Unicode calls default-ignorable (direction marks, zero-width
 * characters, tags, fillers); interlinear annotation. Exempt are the two variation selectors that choose between text and emoji. Also
 * matches the ninth and later of stacked accents, more than any script uses: they reach into the lines above and below, and do not count in
 * the width of a text.
 */
const UNSEEN =
  /(?![\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\p{M}(?<=\p{M}{9})/gu;
/** Matches texts of printable ASCII, which need no escaping: a quick test that is enough for most texts. */
const ASCII = /^[ -~]*$/;

/** The escape of a character as in JSON: a character outside the first plane becomes two escapes. */
const mark = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

export const plain = (text: string): string => (ASCII.test(text) ? text : text.replace(UNSEEN, mark));

/** Replaces unprintable characters by escapes, except those in `kept`, which are harmless where the text is printed. */
export const plainBut = (text: string, kept: string): string =>
  ASCII.test(text) ? text : text.replace(UNSEEN, (char) => (kept.includes(char) ? char : mark(char)));
