// Formats a label and its text, wrapped over several lines.
import { CLI_LIMITS } from '../limits.js';
import { paint, plain } from './print.js';
import { fitted, wrapped } from './width.js';

const LABEL = 10;

/** A stored text in lines that fit the width, with control characters escaped. On a screen a very long text is cut. */
export const textLines = (text: string, width: number): string[] => {
  const most = Number.isFinite(width) ? CLI_LIMITS.textLines : Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  for (const part of text.split('\n')) {
    for (const line of wrapped(plain(part), width)) {
      if (lines.length >= most) return [...lines, '… and more; --json shows all of it'];
      lines.push(line);
    }
  }
  return lines;
};

/** A label and its text, `label     text`; every line of the text has the same indent. */
export const field = (label: string, text: string, width: number): string[] =>
  textLines(text, width - LABEL).map((line, i) => {
    const name = i === 0 ? paint('dim', label.padEnd(LABEL)) : ' '.repeat(LABEL);
    return `${name}${line}`.trimEnd();
  });

/** A label and its text like `field`, but no word is broken: a long word, such as a path, gets its own line and can be copied. */
export const wholeField = (label: string, text: string, width: number): string[] =>
  text.split('\n').flatMap((part, i) => {
    const name = i === 0 ? `${paint('dim', label)}${' '.repeat(LABEL - label.length)}` : ' '.repeat(LABEL);
    return fitted(`${name}${plain(part)}`, width);
  });

export const indented = (text: string, width: number): string[] =>
  textLines(text, width - 2).map((line) => `  ${line}`.trimEnd());
