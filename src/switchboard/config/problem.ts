// Collects the errors and warnings of a switchboard file, each with its place in the text. Values are never shown: they may be secrets.
import { type ObjectNode, type Position, positionAt } from '../../files/json-text.js';

export interface ConfigProblem extends Position {
  readonly file: string;
  /** The keys from the file's root to the faulty value, written as in code, for instance `mcpServers.web.args[0]`. */
  readonly path: string;
  readonly message: string;
}

/** A problem of a switchboard file as one line for a person. */
export const problemText = ({ file, line, column, path, message }: ConfigProblem): string =>
  `${file}:${line}:${column} ${path === '' ? '' : `${path}: `}${message}`;

/** The path of keys to a value in a switchboard file, and the collection that takes the file's problems. */
export interface TextPlace {
  readonly path: string;
  readonly problems: Problems;
}

export const inside = (place: TextPlace, key: string | number): TextPlace => {
  const step = typeof key === 'number' ? `[${key}]` : /^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return { ...place, path: place.path === '' && step.startsWith('.') ? step.slice(1) : place.path + step };
};

export const warnRepeated = (node: ObjectNode, place: TextPlace): void => {
  for (const { key, at } of node.repeated)
    place.problems.warn(inside(place, key).path, at, 'is written twice; the last one counts');
};

/** The problems of one switchboard file. A mistake in its `defaults` is reported once, not again for every server that it affects. */
export class Problems {
  readonly errors: ConfigProblem[] = [];
  readonly warnings: ConfigProblem[] = [];
  private readonly told = new Set<string>();
  private readonly file: string;
  private readonly text: string;

  constructor(file: string, text: string) {
    this.file = file;
    this.text = text;
  }

  error(path: string, at: number, message: string): void {
    this.add(this.errors, path, at, message);
  }

  warn(path: string, at: number, message: string): void {
    this.add(this.warnings, path, at, message);
  }

  private add(list: ConfigProblem[], path: string, at: number, message: string): void {
    const key = `${at} ${message}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    list.push({ file: this.file, ...positionAt(this.text, at), path, message });
  }
}
