// What stores tell each other: a bundle is a signed statement whose body has the signed statements of rounds, votes, decisions and checkpoints. Every
// statement keeps the signature of whoever made it, so that it does not matter who passes a bundle on.
import { canonicalJson, isObject, type JsonObject, parsedObject } from '../proof/canonical-json.js';
import { CONSENSUS_LIMITS } from './limits.js';
import { readStatement, type SignedStatement, type StatementKey, signStatement } from './signed.js';

/** A text of JSON takes as many bytes in a bundle as by itself, and a comma. */
const bytesOf = (text: string): number => Buffer.byteLength(text) + 1;

/** Statements that fit into one bundle, each once, in the order in which they were added. */
export class BundleSpace {
  readonly #texts = new Set<string>();
  #left: number = CONSENSUS_LIMITS.bundleBytes - CONSENSUS_LIMITS.bundleEnvelopeBytes;

  /** Adds statements that belong together; returns false, and adds none, if they do not fit. */
  add(texts: readonly (string | null)[]): boolean {
    const fresh = texts.filter((text) => text !== null && !this.#texts.has(text)) as string[];
    const bytes = fresh.reduce((sum, text) => sum + bytesOf(text), 0);
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    for (const text of fresh) this.#texts.add(text);
    return true;
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

export const writeBundle = (store: string, texts: readonly string[], key: StatementKey): string => {
  const events = texts.map((text) => parsedObject(text) ?? {});
  return signStatement({ v: 1, kind: 'bundle', store, events }, key).text;
};

export interface ReadBundle {
  readonly store: string;
  readonly statements: readonly SignedStatement[];
  /** How many events are not signed as they say. */
  readonly refused: number;
}

const eventsIn = ({ v, kind, store, events }: JsonObject): readonly unknown[] | undefined =>
  v === 1 && kind === 'bundle' && typeof store === 'string' && Array.isArray(events) ? events : undefined;

/** The statements in a bundle whose signatures are right; or why the text is no bundle. */
export const readBundle = (text: string): ReadBundle | { readonly problem: string } => {
  const signed = readStatement(text, CONSENSUS_LIMITS.bundleBytes);
  const events = signed && eventsIn(signed.body);
  if (signed === undefined || events === undefined)
    return { problem: 'it is not a bundle, or was changed after it was signed' };
  const statements = events.flatMap((event) => {
    const statement = isObject(event) ? readStatement(canonicalJson(event)) : undefined;
    return statement === undefined ? [] : [statement];
  });
  return { store: String(signed.body.store), statements, refused: events.length - statements.length };
};
