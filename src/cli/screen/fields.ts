// A label and what it stands for, in as many lines as that takes.
import { CLI_LIMITS } from '../limits.js';
import { paint, plain } from './print.js';
import { fitted, wrapped } from './width.js';

const LABEL = 10;

/** A stored text, made harmless, in lines that fit; of a very long one the first, where there is a screen to fill. */
export const textLines = (text: string, width: number): string[] => {
  const most = Number.isFinite(width) ? CLI_LIMITS.textLines : Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  for (const part of text.split('\n')) {
    for (const line of wrapped(plain(part), width)) {
      if (lines.length >= most) return [...lines, '… and more; --json has all of it'];
      lines.push(line);
    }
  }
  return lines;
};

/** `label     text`, the text indented as far in every line. */
export const field = (label: string, text: string, width: number): string[] =>
  textLines(text, width - LABEL).map((line, i) => {
    const name = i === 0 ? paint('dim', label.padEnd(LABEL)) : ' '.repeat(LABEL);
    return `${name}${line}`.trimEnd();
  });

/** The same, and no word is broken: one that is wider than the line, such as a path, has a line of its own and can be copied. */
export const wholeField = (label: string, text: string, width: number): string[] =>
  text.split('\n').flatMap((part, i) => {
    const name = i === 0 ? `${paint('dim', label)}${' '.repeat(LABEL - label.length)}` : ' '.repeat(LABEL);
    return fitted(`${name}${plain(part)}`, width);
  });

export const indented = (text: string, width: number): string[] =>
  textLines(text, width - 2).map((line) => `  ${line}`.trimEnd());
