// Text that somebody else wrote, as it may be put on a terminal, into a log or into a table: as data. What a terminal obeys, what reorders
// a line and what is not seen at all is written as a mark. Pure.

/**
 * C0, DEL and C1 controls; line and paragraph separators; what Unicode calls ignorable by default, which are the marks of direction, all that
 * has no width, tags and fillers; interlinear annotation. Not the two selectors that choose between a sign and a picture. And accents that are
 * heaped on one letter, more than any script does: they reach into the lines above and below, and no width counts them.
 */
const UNSEEN =
  /(?![\ufe0e\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\p{M}(?<=\p{M}{9})/gu;
/** Nothing of the above is here: most texts end with this look. */
const ASCII = /^[ -~]*$/;

/** As JSON writes it: a character outside the first plane is two. */
const mark = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

export const plain = (text: string): string => (ASCII.test(text) ? text : text.replace(UNSEEN, mark));

/** The same, but for characters that mean no harm where it goes. */
export const plainBut = (text: string, kept: string): string =>
  ASCII.test(text) ? text : text.replace(UNSEEN, (char) => (kept.includes(char) ? char : mark(char)));
