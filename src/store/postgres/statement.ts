// Turns the shared SQL into PostgreSQL's: `?` becomes `$1`, `$2` …, and the seams of dialect.ts become their clauses.

import { createHash } from 'node:crypto';
import { SEAM } from '../dialect.js';
import { assertForTransaction } from '../values.js';

export interface PreparedText {
  readonly text: string;
  /** The name of the prepared statement: a server connection prepares each text once. */
  readonly name: string;
}

/**
 * A string, a quoted name, a comment, a placeholder, or the one function that has another name here. Only placeholders, that function and the
 * comments of dialect.ts are replaced.
 */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|\binstr\(|\?/g;

const translated = (sql: string, mayWrite: boolean): string => {
  let count = 0;
  return sql.replace(TOKEN, (token) => {
    const clause = SEAM.exec(token)?.[1];
    if (clause !== undefined) return mayWrite ? clause : '';
    if (token === 'instr(') return 'strpos(';
    if (token !== '?') return token;
    count += 1;
    return `$${count}`;
  });
};

/** Returns a function that translates statements and remembers them: SQL texts are constants and therefore few. */
export const translator = (mayWrite: boolean): ((sql: string) => PreparedText) => {
  const known = new Map<string, PreparedText>();
  return (sql) => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    assertForTransaction(sql);
    const text = translated(sql, mayWrite);
    const made = { text, name: `c${createHash('sha256').update(text).digest('hex').slice(0, 32)}` };
    known.set(sql, made);
    return made;
  };
};
